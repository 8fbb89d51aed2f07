import type { ChatPiece, ChatTool } from '../../../protocol/index.js';
import { HeldText } from './held-text.js';
import { callOf } from './parse-tool-calls.js';
import { overlap } from './text-overlap.js';

/** Control tokens of answers that consist of messages: a header with channel and recipient, then the text. */
export const CHANNEL_MARKERS = ['<|start|>', '<|channel|>', '<|constrain|>', '<|message|>', '<|end|>'];

const MESSAGE = '<|message|>';
const END = '<|end|>';
/** Each ends the current message. */
const ENDS = [END, '<|start|>', '<|channel|>', '<|call|>', '<|return|>'];
const ANY_END = /<\|(?:end|start|channel|call|return)\|>/;

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
  /** A header, or a call. */
  #held = new HeldText([MESSAGE]);
  /** The possible start of a marker in any other text. */
  #start = '';
  /** Whether the header has the first character of a marker. */
  #isMarked = false;
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
    const pieces: ChatPiece[] = [];
    for (let rest = text; rest !== ''; ) rest = this.#step(rest, pieces);
    return pieces;
  }

  end(): ChatPiece[] {
    const state = this.#state;
    const held = this.#held.take();
    switch (state.kind) {
      case 'header':
        // Drops the start of a message that never came; any other text is part of the answer.
        return ENDS.some((marker) => held.includes(marker)) ? [] : this.#emit('answer', held);
      case 'call':
        return this.#call(state.name, held);
      default:
        return this.#emit(state.kind, this.#start);
    }
  }

  /** @returns what is left of the text where the state changed */
  #step(piece: string, pieces: ChatPiece[]): string {
    const state = this.#state;
    switch (state.kind) {
      case 'header': {
        const found = this.#held.push(piece);
        if (found !== null) {
          this.#enter(readHeader(found.before));
          return found.from.slice(MESSAGE.length);
        }
        this.#isMarked ||= piece.includes('<');
        if (this.#isMarked || this.#held.length <= LONGEST_HEADER) return '';
        const text = this.#held.take();
        this.#enter({ kind: 'answer' });
        return text;
      }
      case 'call': {
        const found = this.#held.push(piece);
        if (found === null) return '';
        pieces.push(...this.#call(state.name, found.before));
        return this.#endMessage(found.from);
      }
      default: {
        const text = this.#start + piece;
        const at = text.search(ANY_END);
        const end = at >= 0 ? at : text.length - Math.max(...ENDS.map((marker) => overlap(text, marker)));
        pieces.push(...this.#emit(state.kind, text.slice(0, end)));
        this.#start = at >= 0 ? '' : text.slice(end);
        return at >= 0 ? this.#endMessage(text.slice(end)) : '';
      }
    }
  }

  /** The end of one message may be part of the next one's header. */
  #endMessage(text: string): string {
    this.#enter({ kind: 'header' });
    return text.startsWith(END) ? text.slice(END.length) : text;
  }

  #enter(state: State): void {
    this.#state = state;
    this.#held = new HeldText(state.kind === 'call' ? ENDS : [MESSAGE]);
    this.#isMarked = false;
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
