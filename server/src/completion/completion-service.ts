import type { CompletionSummary, InklingSettings } from '../../protocol/index.js';
import type { GenerationResult, ModelFacts } from '../engine/engine.js';
import { EngineError, toEngineError } from '../engine/engine-error.js';
import type { EngineHost } from '../engine/engine-host.js';
import { buildFimPrompt } from '../prompt/fim-prompt.js';
import { type FimTemplate, fimTemplateFor } from '../prompt/fim-template.js';
import { languageEnabled } from '../settings/settings-store.js';
import { Emitter } from '../util/emitter.js';
import type { CompletionOutcome } from './completion-outcome.js';
import { type CursorContext, cursorContextAt, type SelectedItem } from './cursor-context.js';
import { postProcess } from './postprocess/post-process.js';
import { countReplacedClosers, suffixBehindClosers } from './replaced-closers.js';
import { RequestScheduler } from './request-scheduler.js';
import { chooseStopRule, findStop } from './stop-rule.js';

/** A document at one moment; nothing in it changes afterwards. */
export interface DocumentSnapshot {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  readonly text: string;
  /** How the prompt names the file, such as `src/main.ts`; null for a document without a name. */
  readonly path: string | null;
}

export interface CompletionRequest {
  readonly document: DocumentSnapshot;
  /** In UTF-16 units. */
  readonly offset: number;
  readonly selected: SelectedItem | null;
}

/** The models of today complete best well below their training context, and prefill time counts. */
const MAX_PROMPT_TOKENS = 1536;

/** The pipeline from a document and a cursor to one suggestion. */
export class CompletionService {
  readonly #host: EngineHost;
  readonly #settings: () => InklingSettings;
  readonly #scheduler = new RequestScheduler<CompletionOutcome>();
  readonly #completed = new Emitter<CompletionSummary>();
  #lastSuggestionId = 0;
  #lastCompletion: CompletionSummary | null = null;

  constructor(host: EngineHost, settings: () => InklingSettings) {
    this.#host = host;
    this.#settings = settings;
  }

  /** Fires for each completion that the engine finished, shown or not. */
  readonly onDidComplete = this.#completed.event;

  get lastCompletion(): CompletionSummary | null {
    return this.#lastCompletion;
  }

  /** Never rejects: whatever goes wrong is an outcome. */
  async complete(request: CompletionRequest, signal: AbortSignal): Promise<CompletionOutcome> {
    const settings = this.#settings();
    const { document, offset, selected } = request;
    if (!settings.enabled) return { kind: 'none', reason: 'disabled' };
    if (!languageEnabled(settings, document.languageId)) return { kind: 'none', reason: 'languageDisabled' };
    const facts = this.#host.facts;
    if (facts === null) return { kind: 'none', reason: 'modelNotReady' };
    const template = fimTemplateFor(facts);
    if (template === null) return { kind: 'none', reason: 'noFimTemplate' };

    const key = JSON.stringify([document.uri, document.version, offset, selected]);
    const job = (jobSignal: AbortSignal) => this.#compute(request, settings, facts, template, jobSignal);
    return (await this.#scheduler.run(key, job, signal)) ?? { kind: 'none', reason: 'cancelled' };
  }

  async #compute(
    { document, offset, selected }: CompletionRequest,
    settings: InklingSettings,
    facts: ModelFacts,
    template: FimTemplate,
    signal: AbortSignal,
  ): Promise<CompletionOutcome> {
    const startedAt = performance.now();
    const cursor = cursorContextAt(document.text, offset, selected);
    try {
      const generated = await this.#generate(cursor, document.path, settings, facts, template, signal);
      if (signal.aborted) return { kind: 'none', reason: 'cancelled' };
      this.#recordCompletion(generated.result, performance.now() - startedAt);

      const processed = postProcess(generated, cursor);
      if (processed.kind === 'dropped') return { kind: 'none', reason: 'filtered', detail: processed.by };
      const text = (selected?.text ?? '') + processed.text;
      const suggestion = {
        id: ++this.#lastSuggestionId,
        text: cursor.lineEnd === '\n' ? text : text.replace(/\r?\n/g, cursor.lineEnd),
        start: selected?.start ?? offset,
        end: offset + countReplacedClosers(processed.text, cursor),
      };
      return { kind: 'suggestion', suggestion };
    } catch (thrown) {
      const error = toEngineError(thrown);
      return { kind: 'none', reason: 'engineError', detail: `${error.code}: ${error.message}` };
    }
  }

  /** Asks the engine, and stops it as soon as the stop rule is met. */
  async #generate(
    cursor: CursorContext,
    path: string | null,
    settings: InklingSettings,
    facts: ModelFacts,
    template: FimTemplate,
    signal: AbortSignal,
  ): Promise<{ text: string; finished: boolean; result: GenerationResult }> {
    const maxTokens = Math.min(settings.maxTokens, Math.floor(facts.contextLength / 2));
    const rule = chooseStopRule(cursor);
    const stopEarly = new AbortController();
    const engineSignal = AbortSignal.any([signal, stopEarly.signal]);
    let text = '';
    const onText = (piece: string): void => {
      text += piece;
      if (findStop(text, rule) !== null) stopEarly.abort();
    };
    const generate = (promptTokens: number): Promise<GenerationResult> => {
      const { parts, marks } = buildFimPrompt({
        template,
        path,
        prefix: cursor.prefix.slice(0, cursor.prefix.length - cursor.linePrefix.length),
        suffix: suffixBehindClosers(cursor),
        typed: cursor.linePrefix,
        maxTokens: promptTokens,
      });
      return this.#host.generate(
        {
          prompt: parts,
          marks,
          heal: cursor.linePrefix !== '',
          maxTokens,
          stop: rule.kind === 'line' ? ['\n'] : [],
          stopTokens: template.stopTokens,
          timeBudgetMs: settings.timeBudgetMs,
        },
        onText,
        engineSignal,
      );
    };

    const budget = Math.min(MAX_PROMPT_TOKENS, facts.contextLength - maxTokens);
    let result: GenerationResult;
    try {
      result = await generate(budget);
    } catch (error) {
      // The budget is an estimate by characters; text that the vocabulary hardly knows takes far more tokens.
      if (!(error instanceof EngineError) || error.code !== 'promptTooLong' || signal.aborted) throw error;
      result = await generate(Math.floor(budget / 4));
    }
    const ended = result.stopReason === 'endOfText' || result.stopReason === 'stopText';
    const stop = findStop(result.text, rule, ended);
    return { text: result.text.slice(0, stop ?? undefined), finished: ended || stop !== null, result };
  }

  #recordCompletion({ metrics }: GenerationResult, latencyMs: number): void {
    const { promptTokens, reusedTokens, generatedTokens, replayedTokens } = metrics;
    const { draftedTokens, acceptedDraftTokens, prefillMs, decodeMs } = metrics;
    this.#lastCompletion = {
      latencyMs,
      promptTokens,
      reusedTokens,
      generatedTokens,
      replayedTokens,
      draftedTokens,
      acceptedDraftTokens,
      prefillMs,
      decodeMs,
    };
    this.#completed.fire(this.#lastCompletion);
  }
}
