/** A name in a document, by its zero-based place. */
export interface PlacedName {
  readonly name: string;
  readonly line: number;
  readonly character: number;
}

const LINES_ABOVE = 24;
const LINES_BELOW = 8;
const LONGEST_LINE = 400;
const MOST_NAMES = 16;

const NAME = /[\p{L}_$][\p{L}\p{N}_$]+/gu;
/** Their words are prose, or paths. */
const COMMENT_OR_IMPORT =
  /^\s*(?:\/\/|\/\*|\*(?:[\s*/]|$)|#(?!\w+\s*[=:;(])|--(?![\w$])|import\b|from\b|use\b|package\b)/;

/** Words that no language server has a definition for. */
const KEYWORDS = new Set(
  (
    'abstract and any as assert async await bool boolean break case catch class const continue def default del do elif ' +
    'else enum except export extends extern false False final finally fn for from func function global if impl ' +
    'implements import in include inline int interface is lambda let match mod mut namespace new nil None not null ' +
    'number object of or override package pass private protected pub public raise readonly return self Self short ' +
    'static str string struct super switch this throw throws trait true True try type typedef typeof undefined union ' +
    'unknown unsafe use using var virtual void while with yield'
  ).split(' '),
);

/**
 * The names around the cursor, nearest first, each once.
 *
 * @param lineAt the text of a line; null beyond the document
 */
export function namesAround(lineAt: (line: number) => string | null, cursorLine: number): readonly PlacedName[] {
  const found = new Map<string, PlacedName>();
  for (let distance = 0; distance <= LINES_ABOVE; distance += 1) {
    const lines = distance === 0 || distance > LINES_BELOW ? [-distance] : [-distance, distance];
    for (const offset of lines) {
      const line = cursorLine + offset;
      const text = line < 0 ? null : lineAt(line);
      if (text === null || text.length > LONGEST_LINE || COMMENT_OR_IMPORT.test(text)) continue;
      for (const { 0: name, index } of text.matchAll(NAME)) {
        if (!KEYWORDS.has(name) && !found.has(name)) found.set(name, { name, line, character: index });
        if (found.size === MOST_NAMES) return [...found.values()];
      }
    }
  }
  return [...found.values()];
}

const LONGEST_SIGNATURE = 300;
/** What stands before a signature; nothing else is read, and no signature is cut. */
const LONGEST_KIND = 60;

/** The signature in the first block of code that a hover shows, in one line; null for none. */
export function signatureIn(markdown: string): string | null {
  const open = markdown.indexOf('```');
  const start = open < 0 ? -1 : markdown.indexOf('\n', open) + 1;
  const end = start <= 0 ? -1 : markdown.indexOf('\n```', start);
  if (end < 0) return null;
  const first = markdown.slice(start, markdown.indexOf('\n', start));
  if (first.length > LONGEST_SIGNATURE + LONGEST_KIND) return null;
  // TypeScript says what kind of name it is: `(alias) const a: B`.
  const signature = first.replace(/^\([a-z ]+\) /, '').trim();
  return signature === '' || signature.length > LONGEST_SIGNATURE ? null : signature;
}
