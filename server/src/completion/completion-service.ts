import {
  type CompletionSummary,
  type Decision,
  describeUnknownLanguage,
  type InklingSettings,
  refuseLanguage,
} from '../../protocol/index.js';
import type { EngineHost } from '../engine/lifecycle/engine-host.js';
import { toEngineError } from '../engine/port/engine-error.js';
import type { GenerationResult } from '../engine/port/generation.js';
import type { ModelFacts } from '../engine/port/model-facts.js';
import { fimTemplateFor } from '../prompt/fim-template.js';
import type { SyntaxSource } from '../syntax/syntax.js';
import { describeError } from '../util/describe-error.js';
import { Emitter } from '../util/emitter.js';
import type { Log } from '../util/log.js';
import { sleep } from '../util/sleep.js';
import { AnchorKeeper } from './anchor/anchor-keeper.js';
import type { LearnedConfidence } from './confidence/learned-confidence.js';
import { ShownSuggestions } from './confidence/shown-suggestions.js';
import type { DocumentChange } from './cursor/edit-kind.js';
import { DecisionLog } from './feedback/decision-log.js';
import { DecisionTrace } from './feedback/decision-trace.js';
import { LastCompletion } from './feedback/last-completion.js';
import { IdleWork } from './idle-work.js';
import type { MadeSuggestion } from './postprocess/made-suggestion.js';
import { AskedPlace } from './request/asked-place.js';
import type { CompletionOutcome } from './request/completion-outcome.js';
import type { CompletionRequest } from './request/completion-request.js';
import type { ContextProvider } from './request/context-provider.js';
import { DocumentStates } from './request/document-states.js';
import { engineFailed } from './request/engine-failed.js';
import { OpenRequests } from './request/open-requests.js';
import { askedAt, covers, isSamePlace, type Question, type ReadyModel } from './request/question.js';
import { RecentEdits } from './request/recent-edits.js';
import { type JobControl, RequestScheduler } from './request/request-scheduler.js';
import { SuggestionCache } from './request/suggestion-cache.js';
import { SuggestionJobs } from './suggestion-jobs.js';
import { requestBudget, SuggestionMaker } from './suggestion-maker.js';
import { type CompletionTimes, LatencyStats } from './trigger/latency-stats.js';
import { staysOnThisMachine } from './trigger/secret-documents.js';
import { refuseTrigger } from './trigger/trigger-policy.js';

/** Continues a suggestion that a limit cut off, once at most this much of it is left. */
const SHORT_REST_CHARACTERS = 16;

/** A request may join a job for an early part, for its end, and another one; then it has its own. */
const MOST_RUNS = 4;

type Forbidden = 'disabled' | 'manualMode' | 'languageDisabled' | 'languageUnknown';

/** What a completion service works with. */
export interface CompletionParts {
  readonly host: EngineHost;
  readonly settings: () => InklingSettings;
  readonly syntax: SyntaxSource;
  readonly context: ContextProvider;
  readonly confidence: LearnedConfidence;
  readonly log: Log;
}

/** The pipeline from a document and a cursor to suggestions: refuse, reuse, schedule, make, remember. */
export class CompletionService {
  readonly #host: EngineHost;
  readonly #settings: () => InklingSettings;
  readonly #syntax: SyntaxSource;
  readonly #context: ContextProvider;
  readonly #scheduler = new RequestScheduler<Question, CompletionOutcome>(covers);
  readonly #anchors = new AnchorKeeper();
  readonly #cache = new SuggestionCache();
  readonly #jobs: SuggestionJobs;
  readonly #shown: ShownSuggestions;
  readonly #idle: IdleWork;
  readonly #log: Log;
  readonly #documents = new DocumentStates();
  readonly #open = new OpenRequests();
  readonly #asked = new AskedPlace();
  readonly #recentEdits = new RecentEdits();
  readonly #decisions = new DecisionLog();
  readonly #completed = new Emitter<CompletionSummary>();
  readonly #last = new LastCompletion();
  readonly latencies = new LatencyStats();

  constructor({ host, settings, syntax, context, confidence, log }: CompletionParts) {
    this.#host = host;
    this.#log = log;
    this.#settings = settings;
    this.#syntax = syntax;
    this.#context = context;
    const maker = new SuggestionMaker(host.client, this.#anchors, syntax, context, this.#recentEdits);
    this.#shown = new ShownSuggestions(confidence, syntax);
    this.#jobs = new SuggestionJobs(host, maker, this.#cache, this.#shown, log);
    this.#idle = new IdleWork(host.client, this.#anchors, context, () => settings().speculation, log);
  }

  /** Fires for each completion that the engine finished, shown or not. */
  readonly onDidComplete = this.#completed.event;

  /** Of the model that is there. */
  get lastCompletion(): CompletionSummary | null {
    return this.#last.beside(this.#host.lifecycle.knownFacts);
  }

  get decisions(): readonly Decision[] {
    return this.#decisions.latest();
  }

  /** @param textBefore the two characters before a place of the document, after all changes */
  documentEdited(
    uri: string,
    version: number,
    changes: readonly DocumentChange[],
    textBefore?: (offset: number) => string,
  ): void {
    this.#documents.edited(uri, version, changes, (change) => this.#shown.isSuggested(uri, change), textBefore);
    this.#recentEdits.edited(uri, changes);
    this.#anchors.follow(uri, changes);
  }

  documentUndone(uri: string, version: number): void {
    this.#documents.undone(uri, version);
  }

  documentClosed(uri: string): void {
    this.#documents.closed(uri);
    this.#recentEdits.closed(uri);
    this.#open.closed(uri);
    this.#asked.closed(uri);
    this.#scheduler.stop(({ request }) => request.document.uri === uri);
    this.#idle.documentClosed(uri);
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

  /** The user sees a document in which nothing was typed yet: evaluates its prompt before the first key. */
  documentShown(request: CompletionRequest): void {
    this.#context.visited(request.document.uri);
    const settings = this.#settings();
    if (!this.#suggestsByItself(request, settings)) return;
    this.#host.lifecycle.wake(false);
    const model = this.#model();
    if (typeof model !== 'string') this.#prepareNextKey(askedAt(request, ''), model, settings, true);
  }

  /** Prompts show other files from now on; idle work reads them. */
  contextChanged(uri: string): void {
    this.#idle.renew(uri, (request) => this.#suggestsByItself(request, this.#settings()));
  }

  /** Text that a prompt showed may no longer be shown: no prompt continues from it. */
  contextRevoked(uri: string): void {
    this.#idle.contextRevoked(uri);
    this.#anchors.forget(uri);
  }

  /** What the settings forbid now is no longer planned, and ends where it runs. */
  settingsChanged(): void {
    const settings = this.#settings();
    this.#scheduler.stop(({ request }) => this.#whyForbidden(request, settings) !== null);
    if (!settings.enabled) this.#idle.cancel();
  }

  dispose(): void {
    this.#idle.cancel();
    this.#scheduler.stop();
  }

  /** Never rejects: every failure is an outcome. */
  async complete(received: CompletionRequest, signal: AbortSignal): Promise<CompletionOutcome> {
    const request = this.#asked.read(received);
    const trace = new DecisionTrace(request);
    const { uri } = request.document;
    this.#context.visited(uri);
    const outcome = await this.#open.run(uri, signal, (ending) => this.#decideOrFail(request, trace, ending));
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

  async #work(
    question: Question,
    model: ReadyModel,
    settings: InklingSettings,
    trace: DecisionTrace,
    control: JobControl<CompletionOutcome>,
  ): Promise<CompletionOutcome> {
    const startedAt = performance.now();
    // A part of it may be on the screen long before the rest is ready.
    let answeredMs: number | null = null;
    const answer = (outcome: CompletionOutcome): void => {
      answeredMs ??= trace.latencyMs;
      control.answer(outcome);
    };
    const made = (suggestion: MadeSuggestion): void => {
      trace.made(suggestion);
      if (control.signal.aborted) return;
      const workMs = performance.now() - startedAt;
      this.#recordCompletion(model.facts, suggestion.generated.result, {
        latencyMs: answeredMs ?? trace.latencyMs,
        workMs,
      });
      if (suggestion.processed.kind === 'kept') this.#prepareNextKey(question, model, settings);
    };
    try {
      return await this.#jobs.run({ question, model, settings, made }, { ...control, answer });
    } catch (thrown) {
      return this.#failed(thrown);
    }
  }

  /** What went wrong as an outcome. A failure that nobody foresaw is a bug, whose place only the log tells. */
  #failed(thrown: unknown): CompletionOutcome {
    const error = toEngineError(thrown);
    if (error.code === 'internal') this.#log.error(`A suggestion failed: ${describeError(thrown)}`);
    return engineFailed(error);
  }

  async #decide(request: CompletionRequest, trace: DecisionTrace, signal: AbortSignal): Promise<CompletionOutcome> {
    const settings = this.#settings();
    if (!settings.enabled) return { kind: 'none', reason: 'disabled' };
    if (signal.aborted) return { kind: 'none', reason: 'cancelled' };
    const model = this.#model();
    if (typeof model === 'string') return this.#withoutModel(model);

    const question = askedAt(request, `${model.facts.path}\n${settings.maxTokens}`);
    const { uri, version } = request.document;
    if (request.trigger === 'automatic') this.#shown.keyTyped(uri, version, performance.now());
    const outcome = await this.#answer(question, model, settings, trace, signal);
    // Nobody sees what is prepared, nor an answer for a text that has changed since.
    const reachesScreen = request.trigger !== 'prepared' && this.#documents.isLatest(uri, version);
    if (!signal.aborted && reachesScreen) this.#shown.showed(question, outcome);
    return outcome;
  }

  async #answer(
    question: Question,
    model: ReadyModel,
    settings: InklingSettings,
    trace: DecisionTrace,
    signal: AbortSignal,
  ): Promise<CompletionOutcome> {
    const { request } = question;
    const refusal = this.#refusal(question, model, settings);
    if (refusal !== null) return refusal;

    // By command, the engine is asked once more.
    const known = request.trigger === 'invoked' ? null : this.#reuse(question, model, settings);
    if (known !== null) {
      trace.source = 'reused';
      return known;
    }
    if (staysOnThisMachine(this.#context.mayHoldSecrets(request.document.uri), model.facts, request.trigger)) {
      return { kind: 'none', reason: 'secretFile' };
    }
    // The answer that is being made would be given up during the wait.
    const waits = request.trigger === 'automatic' && !this.#scheduler.isRunning(question);
    trace.debounceMs = waits ? this.latencies.debounce() : 0;
    if (trace.debounceMs > 0) await sleep(trace.debounceMs, signal);
    if (this.#whyForbidden(request, this.#settings()) !== null) return this.#unanswered(request, signal);

    this.#idle.cancel();
    const job = (control: JobControl<CompletionOutcome>) => this.#work(question, model, settings, trace, control);
    for (let run = 0; run < MOST_RUNS; run++) {
      const answered = await this.#scheduler.run(question, job, signal);
      if (answered === null) break;
      const isOwn = answered.question === question;
      trace.source = isOwn ? 'engine' : 'joined';
      const fits = answered.result.kind === 'suggestions' && isSamePlace(answered.question, question);
      if (isOwn || fits) return answered.result;
      // The joined job was asked at another key. Its answer is in the cache unless the user typed something else.
      const joined = this.#reuse(question, model, settings);
      if (joined !== null) return joined;
    }
    return this.#unanswered(request, signal);
  }

  /** Loads an unloaded model again; this request waits and gets its answer. */
  async #reloadModel(request: CompletionRequest, signal: AbortSignal): Promise<void> {
    const settings = this.#settings();
    const invoked = request.trigger === 'invoked';
    if (settings.enabled && (invoked || this.#suggestsByItself(request, settings))) {
      await this.#host.lifecycle.wakeAndWait(invoked, signal);
    }
  }

  #prepareNextKey(question: Question, model: ReadyModel, settings: InklingSettings, isSoon = false): void {
    if (staysOnThisMachine(this.#context.mayHoldSecrets(question.request.document.uri), model.facts, null)) return;
    const { budget } = requestBudget(model, question.request.document.path, settings.maxTokens);
    this.#idle.schedule(question, model, budget, isSoon);
  }

  #suggestsByItself(request: CompletionRequest, settings: InklingSettings): boolean {
    return this.#whyForbidden({ ...request, trigger: 'automatic' }, settings) === null;
  }

  /** Why the settings forbid a request, perhaps since it was followed: nobody wants its answer. Null where they do not. */
  #whyForbidden({ document, trigger }: CompletionRequest, settings: InklingSettings): Forbidden | null {
    if (!settings.enabled) return 'disabled';
    if (trigger !== 'automatic') return null;
    if (settings.trigger !== 'automatic') return 'manualMode';
    return refuseLanguage(settings, this.#host.lifecycle.knownFacts?.languages ?? null, document.languageId);
  }

  /** Why a request got no answer: the settings have changed, or the user typed on. */
  #unanswered(request: CompletionRequest, signal: AbortSignal): CompletionOutcome {
    const forbidden = signal.aborted ? null : this.#whyForbidden(request, this.#settings());
    return { kind: 'none', reason: forbidden ?? 'cancelled' };
  }

  #model(): ReadyModel | 'modelNotReady' | 'modelUnloaded' | 'noFimTemplate' {
    const { client, lifecycle, promptLengths } = this.#host;
    const { facts } = client;
    if (facts === null) return lifecycle.state.kind === 'unloaded' ? 'modelUnloaded' : 'modelNotReady';
    const template = fimTemplateFor(facts);
    return template === null ? 'noFimTemplate' : { facts, template, promptTokens: promptLengths.of(facts) };
  }

  /** The reason that the user can act on: the error of a model that failed, not that it is not loaded. */
  #withoutModel(reason: 'modelNotReady' | 'modelUnloaded' | 'noFimTemplate'): CompletionOutcome {
    const { state } = this.#host.lifecycle;
    if (reason !== 'modelNotReady' || state.kind !== 'error') return { kind: 'none', reason };
    return engineFailed(state.error);
  }

  #refusal({ request, cursor }: Question, { facts }: ReadyModel, settings: InklingSettings): CompletionOutcome | null {
    const { document, offset, trigger, selected } = request;
    const scope = this.#syntax.at(document).scopeAt(offset);
    const reason = refuseTrigger({
      trigger,
      mode: settings.trigger,
      languageRefusal: refuseLanguage(settings, facts.languages, document.languageId),
      scope,
      scopeEnabled: scope === 'code' || (scope === 'comment' ? settings.inComments : settings.inStrings),
      ...this.#documents.of(document.uri, performance.now(), offset),
      linePrefix: cursor.linePrefix,
      lineSuffix: cursor.lineSuffix,
      selected: selected !== null,
    });
    if (reason === null) return null;
    return reason === 'languageUnknown'
      ? { kind: 'none', reason, detail: `${describeUnknownLanguage(facts, document.languageId)}.` }
      : { kind: 'none', reason };
  }

  /** An earlier suggestion that still fits; never asks the engine. Null where the engine may know better. */
  #reuse(question: Question, model: ReadyModel, settings: InklingSettings): CompletionOutcome | null {
    const hit = this.#cache.find(question.key);
    if (hit === null) return null;
    if (hit.text === '') {
      const { hiddenBecause: detail } = hit;
      return { kind: 'none', reason: 'filtered', ...(detail !== undefined && { detail }) };
    }
    if (!hit.finished && hit.text.length <= SHORT_REST_CHARACTERS) return null;
    const chosen = this.#shown.choose([hit], question, model, settings.eagerness, false);
    // Inside a word that the user goes on typing the model is surer than it was at its start.
    return chosen.kind === 'none' && hit.typed !== '' ? null : chosen;
  }

  #recordCompletion(facts: ModelFacts, { metrics }: GenerationResult, times: CompletionTimes): void {
    const draftFailure = metrics.local?.draftFailure ?? null;
    if (draftFailure !== null) this.#log.warn(`Drafting failed, the answer came without: ${draftFailure}`);
    if (this.#last.isOfAnother(facts)) this.latencies.clear();
    this.latencies.add(times);
    this.#completed.fire(this.#last.made(facts, metrics, times.latencyMs));
  }
}
