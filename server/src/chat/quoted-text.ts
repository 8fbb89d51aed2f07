/**
 * Texts that a template has to see as they are (names and descriptions of tools, inputs of calls) stand between two
 * private-use characters, so that they can be told from its own texts in what comes out: nobody's text is searched for
 * special tokens. Words without punctuation are left bare, since templates compare them.
 */
const OPEN = '\uE002';
const CLOSE = '\uE003';
const QUOTED = /\uE002([\s\S]*?)\uE003/g;
const PRIVATE = /[\uE000-\uE003]/g;
const WORDS = /^[\w.\- ]{0,64}$/;

export interface TextPart {
  readonly text: string;
  /** Somebody's text; otherwise the template's. */
  readonly quoted: boolean;
}

export function quote(text: string): string {
  return WORDS.test(text) ? text : `${OPEN}${text.replaceAll(PRIVATE, '')}${CLOSE}`;
}

/** All texts in a value, keys too. */
export function quoteAll(value: unknown): unknown {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return value.map(quoteAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [quote(key), quoteAll(each)]));
}

/** Null where a template has torn a quoted text, so that nobody can tell what is whose. */
export function splitQuoted(text: string): readonly TextPart[] | null {
  const parts: TextPart[] = [];
  const add = (part: string, quoted: boolean): void => {
    if (part !== '') parts.push({ text: part, quoted });
  };
  let end = 0;
  for (const match of text.matchAll(QUOTED)) {
    add(text.slice(end, match.index), false);
    // A template that repeats the beginning of a text leaves its opening behind; all up to the close is somebody's.
    add((match[1] ?? '').replaceAll(OPEN, ''), true);
    end = match.index + match[0].length;
  }
  add(text.slice(end), false);
  return parts.some((part) => /[\uE002\uE003]/.test(part.text)) ? null : parts;
}
