/** What a diff of git says of one file. */
export interface FileDiff {
  /** The names before and after the change, relative to the repository; one if they are the same, none if unknown. */
  readonly paths: readonly string[];
  readonly text: string;
}

/**
 * How git begins a file, a submodule (`diff.submodule`) and a path that a merge has left in conflict. Lines of a file's
 * content begin otherwise. Only line feeds end git's lines; `^` would find a line after a carriage return in a file, too.
 */
const BEGINNING = /(?:^|\n)(?:diff --(?:git|cc|combined)|Submodule|\* Unmerged path) /g;
const SUBMODULE =
  /^Submodule (.+) (?:[0-9a-f]{4,}\.{2,3}[0-9a-f]{4,}(?: \([a-z ]+\))?:?|contains (?:untracked|modified) content)$/;

const ESCAPE = '\u001B';
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g');

/** The parts of a diff in git's format, without paths in conflict, of which git says nothing else. */
export function filesOfDiff(diff: string): FileDiff[] {
  // With `color.ui=always`. Otherwise the colours are a file's own.
  const plain = diff.startsWith(ESCAPE) ? diff.replaceAll(COLOUR, '') : diff;
  const starts = [...plain.matchAll(BEGINNING)].map(({ 0: found, index }) =>
    found.startsWith('\n') ? index + 1 : index,
  );
  return starts.flatMap((start, number) => {
    const text = plain.slice(start, starts[number + 1]);
    return text.startsWith('*') ? [] : [{ paths: pathsOf(text), text }];
  });
}

/** Whether a text is no diff in git's format, as another program shows changes (`diff.external`). */
export function isForeignDiff(diff: string): boolean {
  return diff.trim() !== '' && diff.search(BEGINNING) < 0 && !diff.startsWith(ESCAPE);
}

function pathsOf(text: string): readonly string[] {
  if (text.startsWith('Submodule')) return SUBMODULE.exec(text.slice(0, text.indexOf('\n')))?.slice(1) ?? [];
  const lines: string[] = [];
  for (let start = 0, end = 0; end >= 0 && !text.startsWith('@@', start); start = end + 1) {
    end = text.indexOf('\n', start);
    lines.push(text.slice(start, end < 0 ? undefined : end));
  }
  const moved = lines.flatMap((line) => /^(?:rename|copy) (?:from|to) (.+)$/.exec(line)?.[1] ?? []).map(unquoted);
  const names = moved.length > 0 ? moved : [nameOf(lines[0] ?? '')];
  return names.every((name) => name !== null) ? [...new Set(names)] : [];
}

/** The file that a diff's first line names. It names a file that has not moved twice; in a merge's diff once. */
function nameOf(line: string): string | null {
  const [, kind = '', named = ''] = /^diff --(git|cc|combined) (.*)$/.exec(line) ?? [];
  if (kind !== 'git') return unquoted(named);
  const half = (named.length - 1) / 2;
  if (named[half] !== ' ') return null;
  const [before, after] = [unquoted(named.slice(0, half)), unquoted(named.slice(half + 1))];
  if (before === null || after === null) return null;
  // With `diff.noprefix`; otherwise git's ordinary prefixes differ, and those of `diff.mnemonicPrefix`.
  if (before === after) return before;
  const isPrefixed = /^[abciow]\//.test(before) && /^[abciow]\//.test(after);
  return isPrefixed && before.slice(2) === after.slice(2) ? before.slice(2) : null;
}

const ESCAPED: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** A name as git writes it: in quotes, with bytes as octal numbers, if it has other than plain characters. */
function unquoted(name: string): string | null {
  if (!name.startsWith('"')) return name;
  const inner = /^"((?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))*)"$/.exec(name)?.[1];
  if (inner === undefined) return null;
  const bytes = inner.match(/\\(?:[0-7]{3}|.)|[^\\]+/g)?.map((part) => {
    if (!part.startsWith('\\')) return Buffer.from(part);
    return Buffer.of(ESCAPED[part.slice(1)] ?? Number.parseInt(part.slice(1), 8));
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes ?? []));
  } catch {
    return null;
  }
}
