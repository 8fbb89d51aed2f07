import type { ChatPiece, ChatTool } from '../../../protocol/index.js';
import { HeldText } from './held-text.js';
import { type ParsedCall, parseJsonCalls, parseMarked, parseTagged } from './parse-tool-calls.js';
import { overlap } from './text-overlap.js';
import type { BareToolFormat, MarkedToolFormat, ToolTags } from './tool-format.js';

/** A call from its start on. */
interface OpenCall {
  /** Null where everything after a marker is calls. */
  readonly tags: ToolTags | null;
  readonly text: HeldText;
}

/**
 * Removes the calls from an answer while it streams. Passes text on at once, except white space before a call and the
 * possible start of one. Text that turns out to be no call is passed on.
 */
export class ToolCallReader {
  readonly #format: MarkedToolFormat;
  readonly #tools: readonly ChatTool[];
  readonly #newId: () => string;
  /** What begins a call. */
  readonly #opens: readonly string[];
  /** White space that is passed on unless a call follows. */
  #blank = '';
  /** The possible start of a call. */
  #start = '';
  #call: OpenCall | null = null;

  constructor(format: MarkedToolFormat, tools: readonly ChatTool[], newId: () => string) {
    this.#format = format;
    this.#tools = tools;
    this.#newId = newId;
    this.#opens = format.kind === 'tags' ? format.tags.map(({ open }) => open) : [format.marker];
  }

  push(text: string): ChatPiece[] {
    const pieces: ChatPiece[] = [];
    for (let rest = text; rest !== ''; )
      rest = this.#call === null ? this.#readText(rest, pieces) : this.#readCall(this.#call, rest, pieces);
    return pieces;
  }

  /** The rest of the text, at its end. */
  end(): ChatPiece[] {
    const call = this.#call;
    const text = call === null ? this.#start : call.text.take();
    const calls = call === null ? null : this.#parse(text, call.tags);
    const pieces = calls !== null ? toPieces(calls, this.#newId) : text === '' ? [] : textPieces(this.#blank + text);
    this.#blank = '';
    this.#start = '';
    this.#call = null;
    return pieces;
  }

  /** Passes on the text before a call. @returns the rest, which begins the call */
  #readText(piece: string, pieces: ChatPiece[]): string {
    const text = this.#start + piece;
    const places = this.#opens.map((open) => text.indexOf(open)).filter((at) => at >= 0);
    const uncertain = Math.max(...this.#opens.map((open) => overlap(text, open)));
    const end = places.length > 0 ? Math.min(...places) : text.length - uncertain;
    const certain = text.slice(0, end).trimEnd();
    if (certain !== '') {
      pieces.push(...textPieces(this.#blank + certain));
      this.#blank = '';
    }
    this.#blank += text.slice(certain.length, end);
    this.#start = places.length > 0 ? '' : text.slice(end);
    if (places.length === 0) return '';
    this.#call = this.#openCall(text, end);
    return text.slice(end);
  }

  #openCall(text: string, at: number): OpenCall {
    if (this.#format.kind === 'marker') return { tags: null, text: new HeldText([]) };
    const tags = this.#format.tags.find(({ open }) => text.startsWith(open, at)) ?? null;
    return { tags, text: new HeldText(tags === null ? [] : [tags.close]) };
  }

  /** @returns the text after the call */
  #readCall({ tags, text }: OpenCall, piece: string, pieces: ChatPiece[]): string {
    const found = text.push(piece);
    if (tags === null || found === null) return '';
    const call = found.before + tags.close;
    const calls = this.#parse(call, tags);
    // White space before a call is removed with it.
    pieces.push(...(calls === null ? textPieces(this.#blank + call) : toPieces(calls, this.#newId)));
    this.#blank = '';
    this.#call = null;
    return found.from.slice(tags.close.length);
  }

  /** A model that ends without the closing tag has still made its call. */
  #parse(text: string, tags: ToolTags | null): readonly ParsedCall[] | null {
    if (this.#format.kind === 'marker') return parseMarked(text, this.#format.marker, this.#tools);
    return tags && parseTagged(bodyOf(text, tags), this.#tools);
  }
}

/** A JSON object, or a list of them. */
const BARE_CALL = /^(\{|\[\s*\{)/;
/** Such a list may begin here. */
const BARE_LIST = /^\[\s*$/;

/** Like `ToolCallReader`, for answers that are calls as a whole or not at all. */
export class BareCallReader {
  readonly #marker: string;
  readonly #tools: readonly ChatTool[];
  readonly #newId: () => string;
  #kind: 'unknown' | 'call' | 'text' = 'unknown';
  /** Joined once. */
  #parts: string[] = [];
  /** How the text begins, while that says nothing of its kind. */
  #start = '';

  constructor({ marker }: BareToolFormat, tools: readonly ChatTool[], newId: () => string) {
    this.#marker = marker;
    this.#tools = tools;
    this.#newId = newId;
  }

  push(text: string): ChatPiece[] {
    this.#parts.push(text);
    if (this.#kind === 'unknown') this.#kind = this.#kindWith(text);
    return this.#kind === 'text' ? textPieces(this.#take()) : [];
  }

  /** The rest of the text, at its end. */
  end(): ChatPiece[] {
    const text = this.#take();
    if (text.trim() === '') return [];
    const calls = parseJsonCalls(text.replace(this.#marker, ''), this.#tools);
    return calls === null ? textPieces(text) : toPieces(calls, this.#newId);
  }

  #kindWith(piece: string): 'unknown' | 'call' | 'text' {
    const start = this.#start === '' ? piece.trimStart() : this.#start + piece;
    if (start.startsWith(this.#marker) || BARE_CALL.test(start)) return 'call';
    const isList = BARE_LIST.test(start);
    if (!isList && !this.#marker.startsWith(start)) return 'text';
    // A list that begins with a thousand blanks begins like one with a single blank.
    this.#start = isList ? start.slice(0, 2) : start;
    return 'unknown';
  }

  #take(): string {
    return this.#parts.splice(0).join('');
  }
}

function toPieces(calls: readonly ParsedCall[], newId: () => string): ChatPiece[] {
  return calls.map((call) => ({ kind: 'toolCall', call: { id: newId(), ...call } }));
}

/** The text between the tags; includes the opening tag if that is part of the call. */
function bodyOf(text: string, { open, close }: ToolTags): string {
  if (!open.endsWith('>')) return text;
  return text.slice(open.length, text.endsWith(close) ? -close.length : undefined);
}

function textPieces(text: string): ChatPiece[] {
  return text === '' ? [] : [{ kind: 'answer', text }];
}
