/**
 * The text without comments and trailing commas, as TypeScript's configuration files may have them. Strings stay as they
 * are. One pass over the text, whatever it contains.
 */
export function withoutComments(text: string): string {
  const kept: string[] = [];
  let start = 0;
  /** Where in `kept` the last comma is, while nothing but blanks follows it; -1 without one. */
  let comma = -1;
  const keep = (end: number): void => {
    if (end > start) kept.push(text.slice(start, end));
  };
  for (let at = 0; at < text.length; ) {
    const character = text[at];
    if (character === '"') {
      comma = -1;
      at = endOfString(text, at);
    } else if (character === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      keep(at);
      at = endOfComment(text, at);
      start = at;
    } else if (character === ',') {
      keep(at);
      comma = kept.push(',') - 1;
      start = ++at;
    } else {
      if ((character === '}' || character === ']') && comma >= 0) kept[comma] = '';
      if (character !== ' ' && character !== '\t' && character !== '\n' && character !== '\r') comma = -1;
      at += 1;
    }
  }
  keep(text.length);
  return kept.join('');
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"' || text[at] === '\n') return at + 1;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  const [mark, width] = text[start + 1] === '/' ? ['\n', 0] : ['*/', 2];
  const end = text.indexOf(mark, start + 2);
  return end < 0 ? text.length : end + width;
}
