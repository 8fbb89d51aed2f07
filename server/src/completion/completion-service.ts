import {
  type CompletionSummary,
  type Decision,
  type InklingSettings,
  languageEnabled,
  t,
} from '../../protocol/index.js';
import { toEngineError } from '../engine/engine-error.js';
import type { EngineHost } from '../engine/engine-host.js';
import type { GenerationResult } from '../engine/generation.js';
import { fimTemplateFor } from '../prompt/fim-template.js';
import type { SyntaxSource } from '../syntax/syntax.js';
import { describeError } from '../util/describe-error.js';
import { Emitter } from '../util/emitter.js';
import type { Log } from '../util/log.js';
import { sleep } from '../util/sleep.js';
import { AnchorKeeper } from './anchor/anchor-keeper.js';
import { meanLogProbability } from './confidence/confidence-calibration.js';
import type { LearnedConfidence } from './confidence/learned-confidence.js';
import type { DocumentChange } from './cursor/edit-kind.js';
import { countReplacedClosers } from './cursor/replaced-closers.js';
import { DecisionLog } from './feedback/decision-log.js';
import { DecisionTrace } from './feedback/decision-trace.js';
import { IdleWork } from './idle-work.js';
import type { MadeSuggestion } from './postprocess/made-suggestion.js';
import type { PostProcessed } from './postprocess/post-process.js';
import type { CompletionOutcome, Suggestion } from './request/completion-outcome.js';
import type { CompletionRequest } from './request/completion-request.js';
import type { ContextProvider } from './request/context-provider.js';
import { DocumentStates } from './request/document-states.js';
import { askedAt, covers, type Question, type ReadyModel } from './request/question.js';
import { RecentEdits } from './request/recent-edits.js';
import { type JobControl, RequestScheduler } from './request/request-scheduler.js';
import { type CachedText, SuggestionCache } from './request/suggestion-cache.js';
import { requestBudget, SuggestionMaker } from './suggestion-maker.js';
import { LatencyStats } from './trigger/latency-stats.js';
import { staysOnThisMachine } from './trigger/secret-documents.js';
import { refuseTrigger } from './trigger/trigger-policy.js';

/**
 * Shows what exists after this time: nobody waits half a second for ghost text. The next key, or accepting this part,
 * finds the rest in the cache. The editor lets no text grow while it shows it.
 */
const PARTIAL_AFTER_MS = 400;

/** Continues a suggestion that a limit cut off, once at most this much of it is left. */
const SHORT_REST_CHARACTERS = 16;

/** The pipeline from a document and a cursor to suggestions: refuse, reuse, schedule, make, remember. */
export class CompletionService {
  readonly #host: EngineHost;
  readonly #settings: () => InklingSettings;
  readonly #syntax: SyntaxSource;
  readonly #context: ContextProvider;
  readonly #scheduler = new RequestScheduler<Question, CompletionOutcome>(covers);
  readonly #anchors = new AnchorKeeper();
  readonly #cache = new SuggestionCache();
  readonly #maker: SuggestionMaker;
  readonly #idle: IdleWork;
  readonly #log: Log;
  readonly #documents = new DocumentStates();
  readonly #recentEdits = new RecentEdits();
  readonly #decisions = new DecisionLog();
  readonly #completed = new Emitter<CompletionSummary>();
  #lastShown: { readonly uri: string; readonly suggestions: readonly Suggestion[] } | null = null;
  #lastSuggestionId = 0;
  #lastCompletion: CompletionSummary | null = null;
  readonly latencies = new LatencyStats();

  constructor(
    host: EngineHost,
    settings: () => InklingSettings,
    syntax: SyntaxSource,
    context: ContextProvider,
    confidence: LearnedConfidence,
    log: Log,
  ) {
    this.#host = host;
    this.#log = log;
    this.#settings = settings;
    this.#syntax = syntax;
    this.#context = context;
    this.#maker = new SuggestionMaker(host.client, this.#anchors, syntax, context, this.#recentEdits, confidence);
    this.#idle = new IdleWork(host.client, this.#anchors, context, () => settings().speculation, log);
  }

  /** Fires for each completion that the engine finished, shown or not. */
  readonly onDidComplete = this.#completed.event;

  get lastCompletion(): CompletionSummary | null {
    return this.#lastCompletion;
  }

  get decisions(): readonly Decision[] {
    return this.#decisions.latest();
  }

  documentEdited(uri: string, version: number, changes: readonly DocumentChange[]): void {
    this.#documents.edited(uri, version, changes, (change) => this.#isSuggested(uri, change));
    this.#recentEdits.edited(uri, changes);
    this.#anchors.follow(uri, changes);
  }

  documentUndone(uri: string, version: number): void {
    this.#documents.undone(uri, version);
  }

  documentClosed(uri: string): void {
    this.#documents.closed(uri);
    this.#recentEdits.closed(uri);
    this.#anchors.forget(uri);
    this.#cache.forget(uri);
  }

  /** The user is at another place: evaluates ahead what the next key there needs. */
  cursorMoved(request: CompletionRequest): void {
    this.#context.visited(request.document.uri);
    this.#documents.cursorMoved(request.document.uri, request.offset, performance.now());
    const settings = this.#settings();
    if (!this.#suggestsByItself(request, settings)) return;
    this.#host.lifecycle.wake(false);
    const model = this.#model();
    if (typeof model === 'string') return;
    this.#prepareNextKey(askedAt(request, ''), model, settings);
  }

  /** Prompts show other files from now on; idle work reads them. */
  contextChanged(uri: string): void {
    this.#idle.renew(uri);
  }

  /** Text that a prompt showed may no longer be shown: no prompt continues from it. */
  contextRevoked(uri: string): void {
    this.#anchors.forget(uri);
  }

  dispose(): void {
    this.#idle.cancel();
    this.#scheduler.stop();
  }

  /** Never rejects: every failure is an outcome. */
  async complete(request: CompletionRequest, signal: AbortSignal): Promise<CompletionOutcome> {
    const trace = new DecisionTrace(request);
    this.#context.visited(request.document.uri);
    const outcome = await this.#decideOrFail(request, trace, signal);
    this.#decisions.add(trace.decided(outcome));
    return outcome;
  }

  async #decideOrFail(request: CompletionRequest, trace: DecisionTrace, signal: AbortSignal) {
    try {
      await this.#reloadModel(request, signal);
      return await this.#decide(request, trace, signal);
    } catch (thrown) {
      return this.#failed(thrown);
    }
  }

  /** What went wrong as an outcome. A failure that nobody foresaw is a bug, whose place only the log tells. */
  #failed(thrown: unknown): CompletionOutcome {
    const { code, message } = toEngineError(thrown);
    if (code === 'internal') this.#log.error(`A suggestion failed: ${describeError(thrown)}`);
    return { kind: 'none', reason: 'engineError', detail: `${code}: ${message}` };
  }

  async #decide(request: CompletionRequest, trace: DecisionTrace, signal: AbortSignal): Promise<CompletionOutcome> {
    const settings = this.#settings();
    if (!settings.enabled) return { kind: 'none', reason: 'disabled' };
    if (signal.aborted) return { kind: 'none', reason: 'cancelled' };
    const model = this.#model();
    if (typeof model === 'string') return { kind: 'none', reason: model };

    const question = askedAt(request, `${model.facts.path}\n${settings.maxTokens}`);
    const refusal = this.#refusal(question, settings);
    if (refusal !== null) return { kind: 'none', reason: refusal };

    const known = this.#reuse(question);
    if (known !== null) {
      trace.source = 'reused';
      return known;
    }
    if (staysOnThisMachine(request.document.uri, model.facts, request.trigger)) {
      return { kind: 'none', reason: 'secretFile' };
    }
    trace.debounceMs = request.trigger === 'automatic' ? this.latencies.debounce() : 0;
    if (trace.debounceMs > 0) await sleep(trace.debounceMs, signal);

    this.#idle.cancel();
    const job = (control: JobControl<CompletionOutcome>) => this.#make(question, model, settings, trace, control);
    const answered = await this.#scheduler.run(question, job, signal);
    if (answered === null) return { kind: 'none', reason: 'cancelled' };
    if (answered.question === question) return answered.result;

    // The joined job was asked at another key. Its answer is in the cache unless the user typed something else.
    trace.source = 'joined';
    const joined = this.#reuse(question);
    if (joined !== null) return joined;
    const own = await this.#scheduler.run(question, job, signal);
    return own?.question === question ? own.result : (this.#reuse(question) ?? { kind: 'none', reason: 'cancelled' });
  }

  /** Loads an unloaded model again; this request waits and gets its answer. */
  async #reloadModel(request: CompletionRequest, signal: AbortSignal): Promise<void> {
    const settings = this.#settings();
    const invoked = request.trigger === 'invoked';
    if (settings.enabled && (invoked || this.#suggestsByItself(request, settings))) {
      await this.#host.lifecycle.awake(invoked, signal);
    }
  }

  #prepareNextKey(question: Question, model: ReadyModel, settings: InklingSettings): void {
    if (staysOnThisMachine(question.request.document.uri, model.facts, null)) return;
    const { budget } = requestBudget(model, question.request.document.path, settings.maxTokens);
    this.#idle.schedule(question, model, budget);
  }

  #suggestsByItself({ document }: CompletionRequest, settings: InklingSettings): boolean {
    return settings.enabled && settings.trigger === 'automatic' && languageEnabled(settings, document.languageId);
  }

  #model(): ReadyModel | 'modelNotReady' | 'modelUnloaded' | 'noFimTemplate' {
    const { client, lifecycle } = this.#host;
    const { facts } = client;
    if (facts === null) return lifecycle.state.kind === 'unloaded' ? 'modelUnloaded' : 'modelNotReady';
    const template = fimTemplateFor(facts);
    return template === null ? 'noFimTemplate' : { facts, template };
  }

  #refusal({ request, cursor }: Question, settings: InklingSettings) {
    const { document, offset, trigger, selected } = request;
    const scope = this.#syntax.at(document).scopeAt(offset);
    return refuseTrigger({
      trigger,
      mode: settings.trigger,
      languageEnabled: languageEnabled(settings, document.languageId),
      scope,
      scopeEnabled: scope === 'code' || (scope === 'comment' ? settings.inComments : settings.inStrings),
      ...this.#documents.of(document.uri, performance.now()),
      linePrefix: cursor.linePrefix,
      lineSuffix: cursor.lineSuffix,
      selected: selected !== null,
    });
  }

  /** An earlier suggestion that still fits; never asks the engine. */
  #reuse(question: Question): CompletionOutcome | null {
    if (question.request.trigger === 'invoked') return null;
    const hit = this.#cache.find(question.key);
    if (hit === null) return null;
    if (hit.text === '') return { kind: 'none', reason: 'filtered', detail: t('Suggestion hidden, as before.') };
    if (!hit.finished && hit.text.length <= SHORT_REST_CHARACTERS) return null;
    return { kind: 'suggestions', suggestions: this.#suggest([hit], question), partial: false };
  }

  async #make(
    question: Question,
    model: ReadyModel,
    settings: InklingSettings,
    trace: DecisionTrace,
    { signal, answer }: JobControl<CompletionOutcome>,
  ): Promise<CompletionOutcome> {
    // Another model may be loaded since, perhaps on another machine.
    if (this.#host.client.facts !== model.facts) return { kind: 'none', reason: 'cancelled' };
    const startedAt = performance.now();
    const id = ++this.#lastSuggestionId;
    const slow = setTimeout(() => {
      try {
        const partial = this.#partial(question, id);
        if (partial !== null) answer(partial);
      } catch (error) {
        this.#log.error(`A part of a suggestion could not be shown: ${describeError(error)}`);
      }
    }, PARTIAL_AFTER_MS);
    try {
      const onText = (text: string, showable: number): void => {
        question.progress.text = text;
        question.progress.showable = showable;
      };
      const draft = this.#cache.findDraft(question.key) ?? '';
      const made = await this.#maker.make(question, model, settings, draft, onText, signal);
      trace.made(made);
      if (signal.aborted) return { kind: 'none', reason: 'cancelled' };
      const { generated, processed } = made;
      this.#recordCompletion(generated.result, performance.now() - startedAt);

      if (processed.kind === 'dropped') {
        this.#logFailure(processed);
        this.#cache.add(question.key, { id, text: '', finished: true, confidence: null });
        return { kind: 'none', reason: 'filtered', detail: processed.sentence };
      }
      const confidence = meanLogProbability(generated.confidence, processed.text.length);
      const cached = { id, text: processed.text, finished: generated.finished, confidence };
      this.#cache.add(question.key, cached);
      this.#prepareNextKey(question, model, settings);
      const branches = question.request.trigger === 'invoked' && model.facts.capabilities.branches;
      const others = branches ? await this.#makeOthers(question, made, signal) : [];
      const more = others.map((text) => ({ id: ++this.#lastSuggestionId, text, finished: true, confidence: null }));
      return { kind: 'suggestions', suggestions: this.#suggest([cached, ...more], question), partial: false };
    } catch (thrown) {
      return this.#failed(thrown);
    } finally {
      clearTimeout(slow);
    }
  }

  /** What may be shown of a text that is not complete; null for nothing. */
  #partial(question: Question, id: number): CompletionOutcome | null {
    const { text, showable } = question.progress;
    const processed = this.#maker.filter(question, text.slice(0, showable), true, null);
    if (processed.kind === 'dropped') {
      this.#logFailure(processed);
      return null;
    }
    const shown = [{ id, text: processed.text, finished: false, confidence: null }];
    return { kind: 'suggestions', suggestions: this.#suggest(shown, question), partial: true };
  }

  /** The first suggestion is shown even if the others fail. */
  async #makeOthers(question: Question, made: MadeSuggestion, signal: AbortSignal): Promise<readonly string[]> {
    try {
      return await this.#maker.makeOthers(question, made, signal);
    } catch (error) {
      this.#log.warn(`Other suggestions failed: ${describeError(error)}`);
      return [];
    }
  }

  #logFailure({ by, error }: Extract<PostProcessed, { kind: 'dropped' }>): void {
    if (error !== null)
      this.#log.error(`The filter ${by} failed, so the suggestion is hidden: ${describeError(error)}`);
  }

  #isSuggested(uri: string, { offset, inserted }: DocumentChange): boolean {
    const shown = this.#lastShown;
    if (shown?.uri !== uri) return false;
    return shown.suggestions.some(({ start, text }) => offset >= start && text.startsWith(inserted, offset - start));
  }

  /** @param texts best first, at least one */
  #suggest(texts: readonly CachedText[], { request, cursor }: Question): readonly Suggestion[] {
    const { selected, offset, document } = request;
    const suggestions = texts.map(({ id, text, confidence }) => {
      const whole = (selected?.text ?? '') + text;
      return {
        id,
        text: cursor.lineEnd === '\n' ? whole : whole.replace(/\r?\n/g, cursor.lineEnd),
        start: selected?.start ?? offset,
        end: offset + countReplacedClosers(text, cursor),
        confidence,
      };
    });
    this.#lastShown = { uri: document.uri, suggestions };
    return suggestions;
  }

  #recordCompletion({ metrics }: GenerationResult, latencyMs: number): void {
    const { promptTokens, reusedTokens, generatedTokens, prefillMs, decodeMs, local } = metrics;
    const draftFailure = local?.draftFailure ?? null;
    if (draftFailure !== null) this.#log.warn(`Drafting failed, the answer came without: ${draftFailure}`);
    this.latencies.add(latencyMs);
    this.#lastCompletion = {
      latencyMs,
      promptTokens,
      reusedTokens,
      generatedTokens,
      replayedTokens: local?.replayedTokens ?? null,
      draftedTokens: local?.draftedTokens ?? null,
      acceptedDraftTokens: local?.acceptedDraftTokens ?? null,
      draftFailure,
      prefillMs,
      decodeMs,
    };
    this.#completed.fire(this.#lastCompletion);
  }
}
