import type { EngineErrorCode, InklingSettings } from '../../protocol/index.js';
import type { EngineHost } from '../engine/lifecycle/engine-host.js';
import { toEngineError } from '../engine/port/engine-error.js';
import { describeError } from '../util/describe-error.js';
import type { Log } from '../util/log.js';
import type { ShownSuggestions } from './confidence/shown-suggestions.js';
import type { MadeSuggestion } from './postprocess/made-suggestion.js';
import type { PostProcessed } from './postprocess/post-process.js';
import type { CompletionOutcome } from './request/completion-outcome.js';
import type { Question, ReadyModel } from './request/question.js';
import type { JobControl } from './request/request-scheduler.js';
import { alignPieces, type ScoredPiece } from './request/scored-text.js';
import type { SuggestionCache } from './request/suggestion-cache.js';
import type { SuggestionMaker } from './suggestion-maker.js';

/**
 * Shows what exists after this time: nobody waits half a second for ghost text. The next key, or accepting this part,
 * finds the rest in the cache. The editor lets no text grow while it shows it.
 */
const PARTIAL_AFTER_MS = 400;
/** If there was nothing yet, since the engine was reading a prompt, or too little to be sure of. Some words come first. */
const LOOKS_AGAIN_MS = 150;

const MODEL_CHANGED: CompletionOutcome = { kind: 'none', reason: 'modelChanged' };
/** With these codes a model that is no longer loaded refuses. */
const CLOSED: ReadonlySet<EngineErrorCode> = new Set(['closed', 'notLoaded']);

/** A question with everything that answering it needs. */
export interface SuggestionJob {
  readonly question: Question;
  readonly model: ReadyModel;
  readonly settings: InklingSettings;
  /** Called once the engine has finished, whatever is shown of it. */
  readonly made: (suggestion: MadeSuggestion) => void;
}

/** Makes suggestions, keeps them in the cache, and shows of each what is sure; after a while, what is ready. */
export class SuggestionJobs {
  readonly #host: EngineHost;
  readonly #maker: SuggestionMaker;
  readonly #cache: SuggestionCache;
  readonly #shown: ShownSuggestions;
  readonly #log: Log;
  #lastId = 0;

  constructor(host: EngineHost, maker: SuggestionMaker, cache: SuggestionCache, shown: ShownSuggestions, log: Log) {
    this.#host = host;
    this.#maker = maker;
    this.#cache = cache;
    this.#shown = shown;
    this.#log = log;
  }

  /** @throws EngineError */
  async run(job: SuggestionJob, { signal, answer }: JobControl<CompletionOutcome>): Promise<CompletionOutcome> {
    const { question, model, settings, made } = job;
    // Another model may be loaded since, perhaps on a remote server.
    if (this.#isGone(model)) return MODEL_CHANGED;
    const id = ++this.#lastId;
    let pause = new AbortController();
    // Unverified drafts are not said again.
    const resumes = model.facts.capabilities.resumes && settings.speculation !== 'optimistic';
    let lookedAt = 0;
    const showWhatIsReady = (): void => {
      const { showable } = question.progress;
      const isMore = showable > lookedAt;
      lookedAt = showable;
      if (!isMore) lookAgain();
      else if (resumes) pause.abort();
      else showPart(null);
    };
    const lookAgain = (): void => {
      slow = setTimeout(showWhatIsReady, LOOKS_AGAIN_MS);
    };
    const showPart = (pieces: readonly ScoredPiece[] | null): void => {
      const partial = this.#partial(job, id, pieces);
      if (partial === null) lookAgain();
      else answer(partial);
    };
    const nextPause = (): AbortSignal | null => {
      pause = new AbortController();
      return resumes ? pause.signal : null;
    };
    let slow = setTimeout(showWhatIsReady, PARTIAL_AFTER_MS);
    try {
      const onText = (text: string, showable: number): void => {
        question.progress.text = text;
        question.progress.showable = showable;
      };
      const draft = this.#cache.findDraft(question.key) ?? '';
      const observer = { onText, nextPause, onPause: showPart };
      const suggestion = await this.#maker.make(question, model, settings, draft, observer, signal);
      made(suggestion);
      if (signal.aborted) return { kind: 'none', reason: 'cancelled' };
      // An engine that is closed ends its generations where they are.
      if (!suggestion.generated.finished && this.#isGone(model)) return MODEL_CHANGED;
      return await this.#outcome(job, id, suggestion, signal);
    } catch (thrown) {
      if (CLOSED.has(toEngineError(thrown).code) && this.#isGone(model)) return MODEL_CHANGED;
      throw thrown;
    } finally {
      clearTimeout(slow);
    }
  }

  #isGone({ facts }: ReadyModel): boolean {
    return this.#host.client.facts !== facts;
  }

  async #outcome(
    { question, model, settings }: SuggestionJob,
    id: number,
    made: MadeSuggestion,
    signal: AbortSignal,
  ): Promise<CompletionOutcome> {
    const { generated, processed } = made;
    if (processed.kind === 'dropped') {
      this.#logFailure(processed);
      const { sentence } = processed;
      // What the time limit cut off may be worth showing the next time.
      if (generated.finished) {
        this.#cache.add(question.key, { id, text: '', finished: true, pieces: null, hiddenBecause: sentence });
      }
      return { kind: 'none', reason: 'filtered', detail: sentence };
    }
    const { text } = processed;
    const pieces = generated.pieces && alignPieces(generated.text, text, generated.pieces);
    // The whole text: what is too unsure to show now comes with the next keys.
    const cached = { id, text, finished: generated.finished, pieces };
    this.#cache.add(question.key, cached);
    const branches = question.request.trigger === 'invoked' && model.facts.capabilities.branches;
    const others = branches ? await this.#makeOthers(question, model, made, signal) : [];
    const more = others.map((other) => ({ id: ++this.#lastId, text: other, finished: true, pieces: null }));
    return this.#shown.choose([cached, ...more], question, model, settings.eagerness, false);
  }

  /** What may be shown of a text that is not complete; null for nothing. */
  #partial(
    { question, model, settings }: SuggestionJob,
    id: number,
    pieces: readonly ScoredPiece[] | null,
  ): CompletionOutcome | null {
    try {
      const { text, showable } = question.progress;
      const processed = this.#maker.filter(question, text.slice(0, showable), true);
      if (processed.kind === 'dropped') {
        this.#logFailure(processed);
        return null;
      }
      const aligned = pieces && alignPieces(text, processed.text, pieces);
      const part = { id, text: processed.text, finished: false, pieces: aligned };
      const chosen = this.#shown.choose([part], question, model, settings.eagerness, true);
      return chosen.kind === 'none' ? null : chosen;
    } catch (error) {
      this.#log.error(`A part of a suggestion could not be shown: ${describeError(error)}`);
      return null;
    }
  }

  /** The first suggestion is shown even if the others fail. */
  async #makeOthers(
    question: Question,
    model: SuggestionJob['model'],
    made: MadeSuggestion,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    try {
      return await this.#maker.makeOthers(question, model, made, signal);
    } catch (error) {
      this.#log.warn(`Other suggestions failed: ${describeError(error)}`);
      return [];
    }
  }

  #logFailure({ by, error }: Extract<PostProcessed, { kind: 'dropped' }>): void {
    if (error !== null)
      this.#log.error(`The filter ${by} failed, so the suggestion is hidden: ${describeError(error)}`);
  }
}
