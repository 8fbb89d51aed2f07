import { join } from 'node:path';
import type { InklingSettings } from '../protocol/index.js';
import { CompletionService } from './completion/completion-service.js';
import { LearnedConfidence } from './completion/confidence/learned-confidence.js';
import { AcceptanceTracker } from './completion/feedback/acceptance.js';
import { Statistics } from './completion/feedback/statistics.js';
import { ContextService } from './context/context-service.js';
import type { EngineHost } from './engine/engine-host.js';
import type { ServerOptions } from './server-options.js';
import { GrammarLoader } from './syntax/grammar-loader.js';
import { SyntaxTrees } from './syntax/syntax-trees.js';
import { JsonFile } from './util/json-file.js';
import type { Log } from './util/log.js';

/** The service that makes suggestions, with what it knows of documents and what it learns from users. */
export interface Completion {
  readonly service: CompletionService;
  readonly syntaxTrees: SyntaxTrees;
  readonly context: ContextService;
  readonly statistics: Statistics;
  readonly acceptance: AcceptanceTracker;
  /** Writes what was learned. */
  close(): void;
}

/** @param textOf the present text of an open document; null for one that is not open */
export function createCompletion(
  { stateDirectory, grammarsDirectory }: ServerOptions,
  host: EngineHost,
  settings: () => InklingSettings,
  textOf: (uri: string) => string | null,
  log: Log,
): Completion {
  const stateFile = (name: string) => new JsonFile(stateDirectory === null ? null : join(stateDirectory, name), log);
  const [statisticsFile, confidenceFile] = [stateFile('statistics.json'), stateFile('confidence.json')];
  const confidence = new LearnedConfidence(confidenceFile);
  const syntaxTrees = new SyntaxTrees(new GrammarLoader(grammarsDirectory, log), log);
  const context = new ContextService(log);
  const service = new CompletionService(host, settings, syntaxTrees, context, confidence, log);
  context.onDidRefresh((uri) => service.contextChanged(uri));
  context.onDidRevoke((uri) => service.contextRevoked(uri));
  const statistics = new Statistics(statisticsFile, service.latencies);
  const acceptance = new AcceptanceTracker(statistics, confidence, textOf);
  return {
    service,
    syntaxTrees,
    context,
    statistics,
    acceptance,
    close: () => {
      service.dispose();
      acceptance.dispose();
      for (const file of [statisticsFile, confidenceFile]) file.flush();
    },
  };
}
