import type { Connection } from 'vscode-languageserver';
import { DECISIONS_REQUEST, NEXT_EDIT_DECISIONS_REQUEST, STATISTICS_REQUEST } from '../../../protocol/index.js';
import type { CompletionService } from '../../completion/completion-service.js';
import type { Statistics } from '../../completion/feedback/statistics.js';
import type { NextEditService } from '../../next-edit/next-edit-service.js';

/** Answers why there was a suggestion or none, the same of next edits, and sends the statistics. */
export function handleDecisions(
  connection: Connection,
  service: CompletionService,
  nextEdits: NextEditService,
  statistics: Statistics,
): void {
  connection.onRequest(DECISIONS_REQUEST, () => service.decisions);
  connection.onRequest(NEXT_EDIT_DECISIONS_REQUEST, () => nextEdits.decisions);
  connection.onRequest(STATISTICS_REQUEST, () => statistics.summary());
}
