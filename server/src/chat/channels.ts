import type { ChatPiece, ChatTool } from '../../protocol/index.js';
import { callOf } from './parse-tool-calls.js';
import { overlap } from './text-overlap.js';

/** Control tokens of answers that consist of messages: a header with channel and recipient, then the text. */
export const CHANNEL_MARKERS = ['<|start|>', '<|channel|>', '<|constrain|>', '<|message|>', '<|end|>'];

const MESSAGE = '<|message|>';
/** Each ends the current message. */
const ENDS = ['<|end|>', '<|start|>', '<|channel|>', '<|call|>', '<|return|>'];

/** A header has a few words; a longer text without a message is not a header. */
const LONGEST_HEADER = 200;

const FUNCTIONS = 'functions.';

type State =
  | { readonly kind: 'header' }
  | { readonly kind: 'thinking' | 'answer' }
  | { readonly kind: 'call'; readonly name: string };

/**
 * Reads the answers of models that write to channels: the analysis is thinking, a message to a function is a call, the
 * rest is the answer.
 */
export class ChannelReader {
  #state: State = { kind: 'header' };
  #held = '';
  /** Whether the answer has text; an empty line separates its messages. */
  #answered = false;
  #separate = false;

  readonly #tools: readonly ChatTool[];
  readonly #newId: () => string;

  constructor(tools: readonly ChatTool[], newId: () => string) {
    this.#tools = tools;
    this.#newId = newId;
  }

  push(text: string): ChatPiece[] {
    this.#held += text;
    const pieces: ChatPiece[] = [];
    while (this.#step(pieces));
    return pieces;
  }

  end(): ChatPiece[] {
    const held = this.#held;
    const state = this.#state;
    this.#held = '';
    switch (state.kind) {
      case 'header':
        // Drops the start of a message that never came; any other text is part of the answer.
        return ENDS.some((marker) => held.includes(marker)) ? [] : this.#emit('answer', held);
      case 'call':
        return this.#call(state.name, held);
      default:
        return this.#emit(state.kind, held);
    }
  }

  /** @returns whether to call it again */
  #step(pieces: ChatPiece[]): boolean {
    const state = this.#state;
    if (state.kind === 'header') {
      const at = this.#held.indexOf(MESSAGE);
      if (at >= 0) {
        this.#enter(readHeader(this.#held.slice(0, at)), at + MESSAGE.length);
        return true;
      }
      const isText = !this.#held.includes('<') && this.#held.length > LONGEST_HEADER;
      if (isText) this.#enter({ kind: 'answer' }, 0);
      return isText;
    }
    const ends = ENDS.map((marker) => this.#held.indexOf(marker)).filter((at) => at >= 0);
    const end = ends.length === 0 ? null : Math.min(...ends);
    if (state.kind === 'call') {
      if (end === null) return false;
      pieces.push(...this.#call(state.name, this.#held.slice(0, end)));
    } else {
      const certain = end ?? this.#held.length - Math.max(...ENDS.map((marker) => overlap(this.#held, marker)));
      pieces.push(...this.#emit(state.kind, this.#held.slice(0, certain)));
      if (end === null) {
        this.#held = this.#held.slice(certain);
        return false;
      }
    }
    // The end of one message may be part of the next one's header.
    this.#enter({ kind: 'header' }, (end ?? 0) + (this.#held.startsWith('<|end|>', end ?? 0) ? '<|end|>'.length : 0));
    return true;
  }

  #enter(state: State, at: number): void {
    this.#state = state;
    this.#held = this.#held.slice(at);
    if (state.kind === 'answer') this.#separate = this.#answered;
  }

  #emit(kind: 'thinking' | 'answer', text: string): ChatPiece[] {
    if (text === '') return [];
    if (kind === 'thinking') return [{ kind, text }];
    const shown = this.#separate ? `\n\n${text}` : text;
    this.#separate = false;
    this.#answered = true;
    return [{ kind, text: shown }];
  }

  #call(name: string, text: string): ChatPiece[] {
    const call = callOf(name, text.trim() === '' ? {} : text, this.#tools);
    if (call === null) return this.#emit('answer', text);
    return [{ kind: 'toolCall', call: { id: this.#newId(), ...call } }];
  }
}

function readHeader(header: string): State {
  const channel = /<\|channel\|>\s*(\w+)/.exec(header)?.[1] ?? 'final';
  const recipient = /\bto=([\w.-]+)/.exec(header)?.[1] ?? null;
  if (recipient?.startsWith(FUNCTIONS)) return { kind: 'call', name: recipient.slice(FUNCTIONS.length) };
  // The built-in tools of the model's publisher do not exist here, so text for them is not an answer.
  if (recipient !== null) return { kind: 'thinking' };
  return { kind: channel === 'analysis' ? 'thinking' : 'answer' };
}
