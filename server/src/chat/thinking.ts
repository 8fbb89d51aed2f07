import type { ChatPiece } from '../../protocol/index.js';
import { overlap } from './text-overlap.js';

type TextPiece = Extract<ChatPiece, { readonly text: string }>;

/** The markers around a model's thinking. */
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

/** How templates ask whether to think; `ChatTemplate` sets both variables. */
const SWITCH = /enable_thinking|\bthinking is (not )?defined/;

export interface ThinkingStyle {
  readonly kind: 'none' | 'always' | 'optional';
  readonly markers: ThinkingMarkers;
}

/** Whether and how a model thinks, by the words in its template. */
export function thinkingStyle(template: string): ThinkingStyle {
  const markers = KNOWN_MARKERS.find(({ open, close }) => template.includes(close) || template.includes(open));
  // Distilled models think without support in their template; no other model begins an answer with this marker.
  if (markers === undefined) return { kind: 'none', markers: DEFAULT_MARKERS };
  return { kind: SWITCH.test(template) ? 'optional' : 'always', markers };
}

type State =
  /** Only white space so far: a marker here opens the thinking. */
  | 'beginning'
  | 'thinking'
  /** After the thinking; white space before the answer is dropped. */
  | 'between'
  | 'answering';

/**
 * Separates thinking and answer while the text streams, and removes the markers. Holds back the possible start of a
 * marker until more text decides. A marker later in the answer is ordinary text.
 */
export class ThinkingSplitter {
  #state: State;
  #held = '';

  /** @param open whether the prompt's end has already opened the thinking */
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

  /** The rest of the text, at its end. */
  end(): ChatPiece[] {
    const text = this.#held;
    this.#held = '';
    if (text === '' || this.#state === 'between') return [];
    return [{ kind: this.#state === 'thinking' ? 'thinking' : 'answer', text }];
  }

  /** The next piece that is certain, empty if only the state changed; null if more text is needed. */
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
