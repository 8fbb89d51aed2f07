import type { ChatPiece, ChatTool } from '../../protocol/index.js';
import { type ParsedCall, parseJsonCalls, parseMarked, parseTagged } from './parse-tool-calls.js';
import { overlap } from './text-overlap.js';
import type { TextToolFormat, ToolTags } from './tool-format.js';

/** A JSON object, or a list of them. */
const BARE_CALL = /^(\{|\[\s*(\{|$))/;

/**
 * Removes the calls from an answer while it streams. Passes text on at once, except white space before a call and the
 * possible start of one. Text that turns out to be no call is passed on.
 */
export class ToolCallReader {
  #held = '';
  /** Only white space so far. */
  #beginning = true;

  readonly #format: TextToolFormat;
  readonly #tools: readonly ChatTool[];
  readonly #newId: () => string;

  constructor(format: TextToolFormat, tools: readonly ChatTool[], newId: () => string) {
    this.#format = format;
    this.#tools = tools;
    this.#newId = newId;
  }

  push(text: string): ChatPiece[] {
    this.#held += text;
    switch (this.#format.kind) {
      case 'tags':
        return this.#readTagged(this.#format.tags);
      case 'marker':
        return this.#readUntil([this.#format.marker]);
      case 'bare':
        return this.#readBare(this.#format.marker);
    }
  }

  /** The rest of the text, at its end. */
  end(): ChatPiece[] {
    const held = this.#held;
    this.#held = '';
    if (held.trim() === '') return [];
    const calls = this.#parseRest(held);
    return calls === null ? textPieces(held) : this.#toPieces(calls);
  }

  #parseRest(held: string): readonly ParsedCall[] | null {
    const format = this.#format;
    const tools = this.#tools;
    switch (format.kind) {
      case 'tags': {
        // A model that ends without the closing tag has still made its call.
        const text = held.trimStart();
        const tags = format.tags.find(({ open }) => text.startsWith(open));
        return tags === undefined ? null : parseTagged(bodyOf(text, tags), tools);
      }
      case 'marker': {
        const text = held.trimStart();
        return text.startsWith(format.marker) ? parseMarked(text, format.marker, tools) : null;
      }
      case 'bare':
        return parseJsonCalls(held.replace(format.marker, ''), tools);
    }
  }

  #readTagged(tags: readonly ToolTags[]): ChatPiece[] {
    const pieces = this.#readUntil(tags.map(({ open }) => open));
    for (;;) {
      const text = this.#held.trimStart();
      const found = tags.find(({ open }) => text.startsWith(open));
      const at = found === undefined ? -1 : text.indexOf(found.close, found.open.length);
      if (found === undefined || at < 0) return pieces;
      const end = at + found.close.length;
      const calls = parseTagged(bodyOf(text.slice(0, end), found), this.#tools);
      // White space before a call is removed with it.
      const behind = this.#held.length - text.length + end;
      pieces.push(...(calls === null ? textPieces(this.#held.slice(0, behind)) : this.#toPieces(calls)));
      this.#held = this.#held.slice(behind);
      pieces.push(...this.#readUntil(tags.map(({ open }) => open)));
    }
  }

  /** Passes on the text before a marker; keeps the marker and what follows. */
  #readUntil(markers: readonly string[]): ChatPiece[] {
    const places = markers.map((marker) => this.#held.indexOf(marker)).filter((at) => at >= 0);
    const uncertain = Math.max(...markers.map((marker) => overlap(this.#held, marker)));
    const end = places.length > 0 ? Math.min(...places) : this.#held.length - uncertain;
    const certain = this.#held.slice(0, end).trimEnd();
    this.#held = this.#held.slice(certain.length);
    return textPieces(certain);
  }

  /** Only an answer that begins as a call can be one. */
  #readBare(marker: string): ChatPiece[] {
    if (this.#beginning) {
      const text = this.#held.trimStart();
      if (text === '' || marker.startsWith(text) || text.startsWith(marker) || BARE_CALL.test(text)) return [];
      this.#beginning = false;
    }
    const text = this.#held;
    this.#held = '';
    return textPieces(text);
  }

  #toPieces(calls: readonly ParsedCall[]): ChatPiece[] {
    return calls.map((call) => ({ kind: 'toolCall', call: { id: this.#newId(), ...call } }));
  }
}

/** The text between the tags; includes the opening tag if that is part of the call. */
function bodyOf(text: string, { open, close }: ToolTags): string {
  if (!open.endsWith('>')) return text;
  return text.slice(open.length, text.endsWith(close) ? -close.length : undefined);
}

function textPieces(text: string): ChatPiece[] {
  return text === '' ? [] : [{ kind: 'answer', text }];
}
