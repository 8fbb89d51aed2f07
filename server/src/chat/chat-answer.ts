import type { ChatAnswer, ChatOutcome, ChatPiece, ChatToolCall } from '../../protocol/index.js';
import type { GenerationResult } from '../engine/port/generation.js';

/** For a question cancelled before the model read it. */
const EMPTY_ANSWER: ChatAnswer = {
  text: '',
  thinking: '',
  toolCalls: [],
  ending: 'stopped',
  droppedTurns: 0,
  forgottenTokens: 0,
  promptTokens: 0,
  reusedTokens: 0,
  generatedTokens: 0,
  prefillMs: 0,
  decodeMs: 0,
  preemptions: 0,
};

/**
 * An answer that can be stopped at once before the model begins it. Templates and a remote server's tokenizer may take
 * long, and nothing ends them.
 *
 * @param ask gets what to call when the model begins
 */
export async function stoppable(
  ask: (begin: () => void) => Promise<ChatOutcome>,
  signal: AbortSignal,
): Promise<ChatOutcome> {
  const empty = { kind: 'answered', answer: EMPTY_ANSWER } as const;
  if (signal.aborted) return empty;
  let isBegun = false;
  const stopped = new Promise<ChatOutcome>((resolve) => {
    const stop = () => {
      if (!isBegun) resolve(empty);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  const begin = () => {
    isBegun = true;
  };
  return Promise.race([ask(begin), stopped]);
}

export type OnPieces = (pieces: readonly ChatPiece[]) => void;

/** An answer while it streams. */
export class GrowingAnswer {
  #thinking = '';
  #text = '';
  readonly #toolCalls: ChatToolCall[] = [];

  readonly #onPieces: OnPieces;

  constructor(onPieces: OnPieces) {
    this.#onPieces = onPieces;
  }

  take(pieces: readonly ChatPiece[]): void {
    if (pieces.length === 0) return;
    for (const piece of pieces) {
      if (piece.kind === 'toolCall') this.#toolCalls.push(piece.call);
      else if (piece.kind === 'answer') this.#text += piece.text;
      else this.#thinking += piece.text;
    }
    this.#onPieces(pieces);
  }

  /** @param request what was asked; its own count of tokens stands where the engine does not count */
  end(
    { stopReason, metrics }: Pick<GenerationResult, 'stopReason' | 'metrics'>,
    request: Pick<ChatAnswer, 'promptTokens' | 'droppedTurns'>,
  ): ChatAnswer {
    const { reusedTokens, generatedTokens, prefillMs, decodeMs, local } = metrics;
    return {
      text: this.#text,
      thinking: this.#thinking.trim(),
      toolCalls: this.#toolCalls,
      ending: endingOf(stopReason),
      droppedTurns: request.droppedTurns,
      forgottenTokens: local?.shiftedTokens ?? 0,
      promptTokens: metrics.promptTokens ?? request.promptTokens,
      reusedTokens,
      generatedTokens,
      prefillMs,
      decodeMs,
      preemptions: local?.preemptions ?? null,
    };
  }
}

function endingOf(stopReason: GenerationResult['stopReason']): ChatAnswer['ending'] {
  switch (stopReason) {
    case 'endOfText':
    case 'stopText':
      return 'complete';
    case 'aborted':
      return 'stopped';
    case 'maxTokens':
    case 'timeBudget':
    case 'contextFull':
      return 'cutOff';
  }
}
