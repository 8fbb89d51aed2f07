/**
 * Marks texts that a template must see unchanged (names and descriptions of tools, inputs of calls) with private-use
 * characters. They can then be told from the template's own texts, and are never searched for special tokens. Words
 * without punctuation stay unmarked, since templates compare them.
 */
const OPEN = '\uE002';
const CLOSE = '\uE003';
const PRIVATE = /[\uE000-\uE003]/g;
const WORDS = /^[\w.\- ]{0,64}$/;

export interface TextPart {
  readonly text: string;
  /** Text of a user or tool; otherwise the template's. */
  readonly quoted: boolean;
}

export function quote(text: string): string {
  return WORDS.test(text) ? text : `${OPEN}${text.replaceAll(PRIVATE, '')}${CLOSE}`;
}

/** Marks all texts in a value, keys included. */
export function quoteAll(value: unknown): unknown {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return value.map(quoteAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [quote(key), quoteAll(each)]));
}

/** Null if a template has cut a marked text, so that its origin is unknown. */
export function splitQuoted(text: string): readonly TextPart[] | null {
  const parts: TextPart[] = [];
  const add = (part: string, quoted: boolean): void => {
    if (part !== '') parts.push({ text: part, quoted });
  };
  let end = 0;
  for (;;) {
    const open = text.indexOf(OPEN, end);
    const close = open < 0 ? -1 : text.indexOf(CLOSE, open);
    // Without a closing mark no later text has one: an expression would look for it after each opening mark.
    if (close < 0) break;
    add(text.slice(end, open), false);
    // A template that repeats the start of a text leaves an opening mark; everything up to the closing mark is quoted.
    add(text.slice(open + 1, close).replaceAll(OPEN, ''), true);
    end = close + 1;
  }
  add(text.slice(end), false);
  return parts.some((part) => /[\uE002\uE003]/.test(part.text)) ? null : parts;
}
