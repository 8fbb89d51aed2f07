import { DEFAULT_SETTINGS, type InklingSettings } from '../../../../server/protocol/index.js';
import { CompletionService } from '../../../../server/src/completion/completion-service.js';
import { LearnedConfidence } from '../../../../server/src/completion/confidence/learned-confidence.js';
import type { SelectedItem } from '../../../../server/src/completion/cursor/cursor-context.js';
import type { CompletionOutcome } from '../../../../server/src/completion/request/completion-outcome.js';
import type { CompletionRequest, Trigger } from '../../../../server/src/completion/request/completion-request.js';
import type { ContextProvider } from '../../../../server/src/completion/request/context-provider.js';
import { hasSecretName } from '../../../../server/src/context/admission/secret-files.js';
import { locationOf } from '../../../../server/src/context/files/file-location.js';
import { createEngineHost } from '../../../../server/src/engine/lifecycle/engine-host.js';
import type { ModelFacts } from '../../../../server/src/engine/port/model-facts.js';
import { EMPTY_CONTEXT } from '../../../../server/src/prompt/context-block.js';
import type { SyntaxSource } from '../../../../server/src/syntax/syntax.js';
import { JsonFile } from '../../../../server/src/util/files/json-file.js';
import { cursorFixture } from '../../../support/code/cursor-fixture.js';
import { LEXICAL } from '../../../support/code/cursor-syntax.js';
import { FACTS, ScriptedEngine, SILENT } from '../scripted-engine.js';

export const URI = 'file:///a.ts';
export const NO_CONTEXT: ContextProvider = {
  contextFor: () => EMPTY_CONTEXT,
  visited: () => undefined,
  mayHoldSecrets: (uri) => hasSecretName(locationOf(uri).path),
};
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface Asked {
  readonly selected?: SelectedItem;
  readonly trigger?: Trigger;
  readonly uri?: string;
  readonly version?: number;
}

/** A completion service over a scripted engine; texts mark the cursor. */
export class CompletionFixture {
  readonly engine = new ScriptedEngine();
  readonly host = createEngineHost(() => this.engine, SILENT);
  settings: InklingSettings = DEFAULT_SETTINGS;
  readonly service: CompletionService;

  /** What the service logged as errors. */
  readonly errors: string[] = [];
  syntax: SyntaxSource = LEXICAL;

  private constructor(context: ContextProvider) {
    const confidence = new LearnedConfidence(new JsonFile(null, SILENT));
    const syntax: SyntaxSource = { at: (document) => this.syntax.at(document) };
    const log = { ...SILENT, error: (line: string) => this.errors.push(line) };
    const settings = () => this.settings;
    this.service = new CompletionService({ host: this.host, settings, syntax, context, confidence, log });
  }

  static withoutModel(): CompletionFixture {
    return new CompletionFixture(NO_CONTEXT);
  }

  static async ready(context = NO_CONTEXT, facts: ModelFacts = FACTS): Promise<CompletionFixture> {
    const fixture = new CompletionFixture(context);
    fixture.engine.facts = facts;
    fixture.host.lifecycle.want({ path: '/model.gguf' });
    await settle();
    fixture.engine.finishLoad();
    await settle();
    return fixture;
  }

  complete(marked: string, asked: Asked = {}, giveUp = new AbortController()): Promise<CompletionOutcome> {
    return this.service.complete(requestAt(marked, asked), giveUp.signal);
  }

  /** The text of the first suggestion; null without one. */
  async textAt(marked: string, asked: Asked = {}): Promise<string | null> {
    const outcome = await this.complete(marked, asked);
    return outcome.kind === 'suggestions' ? (outcome.suggestions[0]?.text ?? null) : null;
  }
}

export function requestAt(marked: string, { selected, trigger = 'automatic', uri = URI, version = 1 }: Asked = {}) {
  const { text, offset } = cursorFixture(marked);
  const before = text.slice(0, offset).split('\n');
  const request: CompletionRequest = {
    document: { uri, languageId: 'typescript', version, text, path: 'a.ts' },
    offset,
    position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
    selected: selected ?? null,
    trigger,
  };
  return request;
}
