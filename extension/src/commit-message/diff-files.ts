/** What a diff of git says of one file. */
export interface FileDiff {
  /** The names before and after the change, relative to the repository; one if they are the same, none if unknown. */
  readonly paths: readonly string[];
  readonly text: string;
}

/** The parts of a diff in git's format. */
export function filesOfDiff(diff: string): FileDiff[] {
  // Only line feeds end git's lines; `^` would find a line after a carriage return in a file, too.
  const starts = [...diff.matchAll(/(?:^|\n)diff --(?:git|cc|combined) /g)].map(({ 0: found, index }) =>
    found.startsWith('\n') ? index + 1 : index,
  );
  return starts.map((start, number) => {
    const text = diff.slice(start, starts[number + 1]);
    return { paths: pathsOf(text), text };
  });
}

function pathsOf(text: string): readonly string[] {
  const lines: string[] = [];
  for (let start = 0, end = 0; end >= 0 && !text.startsWith('@@', start); start = end + 1) {
    end = text.indexOf('\n', start);
    lines.push(text.slice(start, end < 0 ? undefined : end));
  }
  const moved = lines.flatMap((line) => /^(?:rename|copy) (?:from|to) (.+)$/.exec(line)?.[1] ?? []).map(unquoted);
  const names = moved.length > 0 ? moved : [nameOf(lines[0] ?? '')];
  return names.every((name) => name !== null) ? [...new Set(names)] : [];
}

/** Of the first line, which names a file that has not moved twice. A merge names it once. */
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
