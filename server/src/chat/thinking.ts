import type { ChatPiece } from '../../protocol/index.js';
import { overlap } from './text-overlap.js';

type TextPiece = Extract<ChatPiece, { readonly text: string }>;

/** What a model writes around its thinking. */
export interface ThinkingMarkers {
  readonly open: string;
  readonly close: string;
}

const DEFAULT_MARKERS: ThinkingMarkers = { open: '<think>', close: '</think>' };

const KNOWN_MARKERS: readonly ThinkingMarkers[] = [
  DEFAULT_MARKERS,
  { open: '<thinking>', close: '</thinking>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[THINK]', close: '[/THINK]' },
];

/** What templates ask for whether to think; `ChatTemplate` sets both. */
const SWITCH = /enable_thinking|\bthinking is (not )?defined/;

export interface ThinkingStyle {
  readonly kind: 'none' | 'always' | 'optional';
  readonly markers: ThinkingMarkers;
}

/** Whether and how a model thinks aloud, by what its template mentions. */
export function thinkingStyle(template: string): ThinkingStyle {
  const markers = KNOWN_MARKERS.find(({ open, close }) => template.includes(close) || template.includes(open));
  // Distilled models think without their template knowing of it; nobody else begins an answer with this marker.
  if (markers === undefined) return { kind: 'none', markers: DEFAULT_MARKERS };
  return { kind: SWITCH.test(template) ? 'optional' : 'always', markers };
}

type State =
  /** Nothing but white space so far: a marker here begins the thinking. */
  | 'beginning'
  | 'thinking'
  /** Behind the thinking; white space before the answer is not shown. */
  | 'between'
  | 'answering';

/**
 * Tells thinking from answer while the text streams. Markers are no part of either; the beginning of what may become
 * one is held back until it is known. A marker later in the answer is the model's text like any other.
 */
export class ThinkingSplitter {
  #state: State;
  #held = '';

  /** @param open whether the prompt's end has opened the thinking already */
  readonly #markers: ThinkingMarkers;

  constructor(markers: ThinkingMarkers, open: boolean) {
    this.#markers = markers;
    this.#state = open ? 'thinking' : 'beginning';
  }

  push(text: string): ChatPiece[] {
    this.#held += text;
    const pieces: ChatPiece[] = [];
    for (let piece = this.#next(); piece !== null; piece = this.#next()) {
      if (piece.text !== '') pieces.push(piece);
    }
    return pieces;
  }

  /** What was held back, once no more text comes. */
  end(): ChatPiece[] {
    const text = this.#held;
    this.#held = '';
    if (text === '' || this.#state === 'between') return [];
    return [{ kind: this.#state === 'thinking' ? 'thinking' : 'answer', text }];
  }

  /** The next piece that is certain, possibly an empty one where only the state moved on; null where more is needed. */
  #next(): TextPiece | null {
    switch (this.#state) {
      case 'beginning': {
        const text = this.#held.trimStart();
        if (text.startsWith(this.#markers.open))
          return this.#move('thinking', text.slice(this.#markers.open.length), '');
        if (this.#markers.open.startsWith(text)) return null;
        return this.#move('answering', this.#held, '');
      }
      case 'thinking': {
        const at = this.#held.indexOf(this.#markers.close);
        if (at >= 0) {
          return this.#move('between', this.#held.slice(at + this.#markers.close.length), this.#held.slice(0, at));
        }
        const certain = this.#held.length - overlap(this.#held, this.#markers.close);
        return certain === 0 ? null : this.#move('thinking', this.#held.slice(certain), this.#held.slice(0, certain));
      }
      case 'between': {
        const text = this.#held.trimStart();
        return text === '' ? null : this.#move('answering', text, '');
      }
      case 'answering':
        return this.#held === '' ? null : this.#move('answering', '', this.#held);
    }
  }

  #move(state: State, held: string, text: string): TextPiece {
    const kind = this.#state === 'thinking' ? 'thinking' : 'answer';
    this.#state = state;
    this.#held = held;
    return { kind, text };
  }
}
