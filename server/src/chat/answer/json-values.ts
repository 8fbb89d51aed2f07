import { parseJson } from '../../util/json.js';

/**
 * A sequence of JSON values, separated by white space, commas and semicolons only; null for anything else, and for values
 * that nest too deep to be written again.
 */
export function jsonValues(text: string): unknown[] | null {
  const values: unknown[] = [];
  let rest = text.replace(SEPARATORS, '');
  while (rest !== '') {
    const end = valueEnd(rest);
    try {
      values.push(parseJson(rest.slice(0, end)));
    } catch {
      // Not JSON.
      return null;
    }
    rest = rest.slice(end).replace(SEPARATORS, '');
  }
  return values;
}

const SEPARATORS = /^[\s,;]+/;

/** Where the text's first value ends, by its brackets; a value without brackets ends with the text. */
function valueEnd(text: string): number {
  if (!/^[[{]/.test(text)) return text.length;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
