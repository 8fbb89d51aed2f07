/** What a diff of git says of one file. */
export interface FileDiff {
  /** The names before and after the change, relative to the repository; one if they are the same. */
  readonly paths: readonly string[];
  readonly text: string;
}

/** The parts of a diff in git's format. A file whose name git quotes or writes in another way is left out. */
export function filesOfDiff(diff: string): FileDiff[] {
  const starts = [...diff.matchAll(/^diff --git /gm)].map(({ index }) => index);
  return starts.flatMap((start, number) => {
    const text = diff.slice(start, starts[number + 1]);
    const paths = pathsOf(text);
    return paths.length === 0 ? [] : [{ paths, text }];
  });
}

function pathsOf(text: string): readonly string[] {
  const end = text.search(/^@@/m);
  const head = text.slice(0, end < 0 ? undefined : end);
  // With git's ordinary prefixes, or those of `diff.mnemonicPrefix`.
  const named = /^(?:---|\+\+\+) [abciow]\/([^"\t\n]+)\t?$/gm;
  const moved = /^(?:rename|copy) (?:from|to) ([^"\n]+)$/gm;
  const paths = [named, moved].flatMap((pattern) => [...head.matchAll(pattern)].map(([, path = '']) => path));
  if (paths.length > 0) return [...new Set(paths)];
  // A binary file, an empty one or a change of mode: both names are in the first line, and are the same.
  const line = head.slice('diff --git '.length, head.indexOf('\n'));
  const half = (line.length - 1) / 2;
  const same = Number.isInteger(half) && line[half] === ' ' && line.slice(2, half) === line.slice(half + 3);
  return same && /^[abciow]\//.test(line) && !line.includes('"') ? [line.slice(2, half)] : [];
}
