import type { ChatPiece } from '../../../protocol/index.js';
import { overlap } from './text-overlap.js';

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
  readonly #markers: ThinkingMarkers;
  #state: State;
  /** White space at the beginning: part of the answer if no thinking follows. Only grows until then. */
  #blank = '';
  /** The possible start of a marker. */
  #held = '';

  /** @param open whether the prompt's end has already opened the thinking */
  constructor(markers: ThinkingMarkers, open: boolean) {
    this.#markers = markers;
    this.#state = open ? 'thinking' : 'beginning';
  }

  push(text: string): ChatPiece[] {
    const pieces: ChatPiece[] = [];
    for (let rest = text; rest !== ''; ) rest = this.#step(rest, pieces);
    return pieces;
  }

  /** The rest of the text, at its end. */
  end(): ChatPiece[] {
    const pieces: ChatPiece[] = [];
    this.#emit(this.#blank + this.#held, pieces);
    this.#blank = '';
    this.#held = '';
    return pieces;
  }

  /** @returns what is left of the text where the state changed */
  #step(piece: string, pieces: ChatPiece[]): string {
    const { open, close } = this.#markers;
    switch (this.#state) {
      case 'beginning': {
        const text = this.#held === '' ? piece.trimStart() : this.#held + piece;
        if (this.#held === '') this.#blank += piece.slice(0, piece.length - text.length);
        this.#held = '';
        if (text.startsWith(open)) {
          this.#blank = '';
          this.#state = 'thinking';
          return text.slice(open.length);
        }
        if (open.startsWith(text)) {
          this.#held = text;
          return '';
        }
        this.#state = 'answering';
        this.#emit(this.#blank + text, pieces);
        this.#blank = '';
        return '';
      }
      case 'thinking': {
        const text = this.#held + piece;
        const at = text.indexOf(close);
        const end = at >= 0 ? at : text.length - overlap(text, close);
        this.#emit(text.slice(0, end), pieces);
        this.#held = at >= 0 ? '' : text.slice(end);
        if (at < 0) return '';
        this.#state = 'between';
        return text.slice(at + close.length);
      }
      case 'between': {
        const text = piece.trimStart();
        if (text !== '') this.#state = 'answering';
        return text;
      }
      case 'answering':
        this.#emit(piece, pieces);
        return '';
    }
  }

  #emit(text: string, pieces: ChatPiece[]): void {
    if (text !== '') pieces.push({ kind: this.#state === 'thinking' ? 'thinking' : 'answer', text });
  }
}
