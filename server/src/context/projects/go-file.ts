import path from 'node:path/posix';
import { linesOf } from '../languages/import-statements.js';

const MOST_CHARACTERS = 65_536;
const LONGEST_LINE = 512;
const MOST_REPLACED = 256;
/** Each asks for a file. */
const MOST_USED = 32;

/** What a `go.mod` or `go.work` says of modules. Folders are relative to its own, and may lie anywhere. */
export interface GoFile {
  readonly module: string | null;
  readonly uses: readonly string[];
  readonly replaced: readonly { readonly module: string; readonly folder: string }[];
}

/** Both kinds have one grammar. Null for a text that is too long. */
export function parseGoFile(text: string): GoFile | null {
  if (text.length > MOST_CHARACTERS) return null;
  let module: string | null = null;
  const uses: string[] = [];
  const replaced: { module: string; folder: string }[] = [];
  for (const [verb, first = '', ...others] of directivesOf(text)) {
    if (verb === 'module') module = first;
    else if (verb === 'use' && uses.length < MOST_USED && isRelative(first)) uses.push(path.normalize(first));
    else if (verb === 'replace' && replaced.length < MOST_REPLACED) {
      const folder = others[others.indexOf('=>') + 1] ?? '';
      if (others.includes('=>') && isRelative(folder)) replaced.push({ module: first, folder: path.normalize(folder) });
    }
  }
  return { module, uses, replaced };
}

/** The words of each directive, with its verb: those in round brackets have one together. */
function* directivesOf(text: string): Generator<readonly string[]> {
  let verb: string | null = null;
  for (const line of linesOf(text)) {
    if (line.length > LONGEST_LINE) continue;
    const words = line.split('//', 1)[0]?.trim().split(/\s+/).map(unquoted) ?? [];
    const [first = '', second] = words;
    if (first === '') continue;
    if (first === ')') verb = null;
    else if (verb !== null) yield [verb, ...words];
    else if (second === '(') verb = first;
    else yield words;
  }
}

function unquoted(word: string): string {
  return /^(["`])(.*)\1$/.exec(word)?.[2] ?? word;
}

/** Another replacement is another module. A whole path may name another machine on Windows. */
function isRelative(folder: string): boolean {
  return /^\.{1,2}(?:\/|$)/.test(folder) && !/[\\:\0]/.test(folder);
}
