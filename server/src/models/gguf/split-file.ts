import { basename, dirname, join } from 'node:path';

/** One file of a split model; `index` counts from 1. */
export interface SplitName {
  readonly stem: string;
  readonly index: number;
  readonly count: number;
}

const SPLIT_NAME = /^(.+)-(\d{5})-of-(\d{5})\.gguf$/i;

/** Null for the name of an unsplit file. */
export function parseSplitName(path: string): SplitName | null {
  const match = SPLIT_NAME.exec(basename(path));
  if (match === null) return null;
  const [, stem = '', index = '', count = ''] = match;
  const split = { stem, index: Number(index), count: Number(count) };
  return split.count >= 1 && split.index >= 1 && split.index <= split.count ? split : null;
}

/** Paths of all parts in order, the given one included; only the given path for an unsplit file. */
export function splitPaths(path: string): readonly string[] {
  const split = parseSplitName(path);
  if (split === null) return [path];
  const digits = (value: number): string => String(value).padStart(5, '0');
  return Array.from({ length: split.count }, (_, part) =>
    join(dirname(path), `${split.stem}-${digits(part + 1)}-of-${digits(split.count)}.gguf`),
  );
}
