import type { SpeculationMode } from '../../protocol/index.js';
import type { EngineClient } from '../engine/lifecycle/engine-client.js';
import { toEngineError } from '../engine/port/engine-error.js';
import { contextBudget } from '../prompt/token-budget.js';
import { describeError } from '../util/describe-error.js';
import type { Log } from '../util/log.js';
import {
  ANCHOR_LINES,
  type AnchorBudget,
  anchorOffsetFor,
  createAnchor,
  linesBehind,
  middleOf,
  middleTokens,
} from './anchor/anchor.js';
import type { AnchorKeeper } from './anchor/anchor-keeper.js';
import type { CompletionRequest } from './request/completion-request.js';
import type { ContextProvider } from './request/context-provider.js';
import type { Question, ReadyModel } from './request/question.js';
import { promptFrom } from './suggestion-maker.js';
import { staysOnThisMachine } from './trigger/secret-documents.js';

/** Idle work starts after this time without a key or a cursor move. */
const IDLE_AFTER_MS = 250;
/** In a document that was just shown. An editor that starts opens several, and shows the last. */
const SHOWN_AFTER_MS = 30;

/** The anchor moves before its middle is full, once it is this many lines higher than a new one would be. */
const LINES_TOO_FAR = 8;

/** Work between keystrokes at background priority: moves anchors up and evaluates prompts ahead. */
export class IdleWork {
  readonly #client: EngineClient;
  readonly #anchors: AnchorKeeper;
  readonly #context: ContextProvider;
  readonly #speculation: () => SpeculationMode;
  readonly #log: Log;
  #due: NodeJS.Timeout | null = null;
  #running = new AbortController();
  /** The last plan, done or not. */
  #last: readonly [Question, ReadyModel, AnchorBudget] | null = null;

  constructor(
    client: EngineClient,
    anchors: AnchorKeeper,
    context: ContextProvider,
    speculation: () => SpeculationMode,
    log: Log,
  ) {
    this.#client = client;
    this.#anchors = anchors;
    this.#context = context;
    this.#speculation = speculation;
    this.#log = log;
  }

  /**
   * Plans work for the user's place; planned or running work for another place ends.
   *
   * @param isSoon the document was just shown, and nothing was typed in it yet
   */
  schedule(question: Question, model: ReadyModel, budget: AnchorBudget, isSoon = false): void {
    this.cancel();
    this.#last = [question, model, budget];
    this.#due = setTimeout(
      () => {
        this.#due = null;
        this.#prepare(question, model, budget).catch((error: unknown) => this.#report(error));
      },
      isSoon ? SHOWN_AFTER_MS : IDLE_AFTER_MS,
    );
  }

  cancel(): void {
    if (this.#due !== null) clearTimeout(this.#due);
    this.#due = null;
    this.#running.abort();
  }

  /** A prompt that is being evaluated shows text that may no longer be shown. Planned work reads its context later. */
  contextRevoked(uri: string): void {
    if (this.#last?.[0].place.uri === uri) this.#running.abort();
  }

  documentClosed(uri: string): void {
    if (this.#last?.[0].place.uri !== uri) return;
    this.cancel();
    this.#last = null;
  }

  /**
   * Prepares the last place again if it is in this document, because its context has changed.
   *
   * @param isWanted whether suggestions still come by themselves there
   */
  renew(uri: string, isWanted: (request: CompletionRequest) => boolean): void {
    if (this.#due !== null || this.#last?.[0].place.uri !== uri) return;
    if (isWanted(this.#last[0].request)) this.schedule(...this.#last);
  }

  async #prepare({ place, request }: Question, { facts, template }: ReadyModel, budget: AnchorBudget): Promise<void> {
    const { document, offset } = request;
    // Another model may be loaded since, perhaps on a remote server.
    if (!facts.capabilities.prepares || this.#client.facts !== facts) return;
    if (staysOnThisMachine(this.#context.mayHoldSecrets(document.uri), facts, null)) return;
    const context = this.#context.contextFor(document, offset, contextBudget(budget.surroundings));
    const present = this.#anchors.holding(place);
    if (present !== null && present.context === context) {
      const room = middleTokens(present, place) < present.budget.middle * 0.75;
      if (room && linesBehind(present, place) < ANCHOR_LINES + LINES_TOO_FAR) return;
    }
    const anchor = createAnchor(place, anchorOffsetFor(place, budget), budget, context);
    const { parts, sectionBoundaries } = promptFrom(anchor, template, document.path, middleOf(anchor, place));
    const abort = new AbortController();
    this.#running = abort;
    const { stopReason } = await this.#client.generate(
      { prompt: parts, sectionBoundaries, maxTokens: 0, speculation: this.#speculation(), priority: 'background' },
      () => undefined,
      abort.signal,
    );
    // The old anchor still holds; the new one replaces it only once it is evaluated.
    if (stopReason !== 'aborted' && !abort.signal.aborted) this.#anchors.set(anchor);
  }

  #report(thrown: unknown): void {
    const { code, message } = toEngineError(thrown);
    this.#log.debug(`Nothing was prepared for the next key: ${code}: ${message}`);
    if (code === 'internal') this.#log.error(`Idle work failed: ${describeError(thrown)}`);
  }
}
