import { join } from 'node:path';
import type { InklingSettings } from '../protocol/index.js';
import { CompletionService } from './completion/completion-service.js';
import { LearnedConfidence } from './completion/confidence/learned-confidence.js';
import { AcceptanceTracker } from './completion/feedback/acceptance.js';
import { Statistics } from './completion/feedback/statistics.js';
import { ContextService } from './context/context-service.js';
import type { EngineHost } from './engine/lifecycle/engine-host.js';
import { readOnBattery } from './memory/system-memory.js';
import { ModelEdits } from './next-edit/model-edits.js';
import { NextEditService } from './next-edit/next-edit-service.js';
import type { EditableDocument } from './next-edit/predicted-edit.js';
import { RepeatSearch } from './next-edit/repeat-search.js';
import type { ServerOptions } from './server-options.js';
import { GrammarLoader } from './syntax/grammar-loader.js';
import { SyntaxTrees } from './syntax/syntax-trees.js';
import { askedSeldom } from './util/asked-seldom.js';
import { JsonFile } from './util/files/json-file.js';
import type { Log } from './util/log.js';

/** macOS starts a program for each answer. */
const BATTERY_ASKED_AFTER_MS = 30_000;

/** The service that makes suggestions, with what it knows of documents and what it learns from users. */
export interface Completion {
  readonly service: CompletionService;
  readonly syntaxTrees: SyntaxTrees;
  readonly context: ContextService;
  readonly statistics: Statistics;
  readonly acceptance: AcceptanceTracker;
  readonly nextEdits: NextEditService;
  /** Writes what was learned. */
  close(): void;
}

/** @param documents all that are open */
export function createCompletion(
  { stateDirectory, grammarsDirectory }: ServerOptions,
  host: EngineHost,
  settings: () => InklingSettings,
  documents: () => readonly EditableDocument[],
  log: Log,
): Completion {
  const stateFile = (name: string) => new JsonFile(stateDirectory === null ? null : join(stateDirectory, name), log);
  const [statisticsFile, confidenceFile] = [stateFile('statistics.json'), stateFile('confidence.json')];
  const confidence = new LearnedConfidence(confidenceFile);
  const syntaxTrees = new SyntaxTrees(new GrammarLoader(grammarsDirectory, log), log);
  const context = new ContextService(log);
  const service = new CompletionService({ host, settings, syntax: syntaxTrees, context, confidence, log });
  context.onDidRefresh((uri) => service.contextChanged(uri));
  context.onDidRevoke((uri) => service.contextRevoked(uri));
  const statistics = new Statistics(statisticsFile, service.latencies);
  const textOf = (uri: string) =>
    documents()
      .find((document) => document.uri === uri)
      ?.getText() ?? null;
  const acceptance = new AcceptanceTracker(statistics, confidence, textOf);
  const files = {
    nameOf: (uri: string) => context.nameOf(uri),
    admits: (uri: string, text: string) => context.admits(uri, text),
    mayShow: (uri: string, text: string) => context.mayShow(uri, text),
    definitionsFor: (uri: string) => context.lastDefinitions(uri),
  };
  const onBattery = askedSeldom(readOnBattery, BATTERY_ASKED_AFTER_MS);
  const tiers = {
    repeats: new RepeatSearch(files, syntaxTrees),
    model: new ModelEdits(host.client, files, syntaxTrees, settings, onBattery),
  };
  const nextEdits = new NextEditService(documents, settings, statistics, tiers, log);
  return {
    service,
    syntaxTrees,
    context,
    statistics,
    acceptance,
    nextEdits,
    close: () => {
      nextEdits.dispose();
      service.dispose();
      acceptance.dispose();
      for (const file of [statisticsFile, confidenceFile]) file.flush();
    },
  };
}
