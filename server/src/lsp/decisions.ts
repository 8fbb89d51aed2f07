import type { Connection } from 'vscode-languageserver';
import { DECISIONS_REQUEST, STATISTICS_REQUEST } from '../../protocol/index.js';
import type { CompletionService } from '../completion/completion-service.js';
import type { Statistics } from '../completion/feedback/statistics.js';

/** Answers why there was a suggestion or none, and sends the statistics. */
export function handleDecisions(connection: Connection, service: CompletionService, statistics: Statistics): void {
  connection.onRequest(DECISIONS_REQUEST, () => service.decisions);
  connection.onRequest(STATISTICS_REQUEST, () => statistics.summary());
}
