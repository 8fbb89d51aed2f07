import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

/** Source files of repositories that the starter model was not trained on. They are not part of this repository. */
const HELD_OUT_FILE = resolve(REPOSITORY_ROOT, '../shared/held-out/files.jsonl');

export interface HeldOutFile {
  readonly repository: string;
  readonly path: string;
  /** With `\n` line ends. */
  readonly text: string;
}

/** Why there are no held-out files; null where they are. */
export function heldOutMissing(): string | null {
  return existsSync(HELD_OUT_FILE) ? null : `${HELD_OUT_FILE} is not there`;
}

export function heldOutFiles(): readonly HeldOutFile[] {
  return readFileSync(HELD_OUT_FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HeldOutFile)
    .map(({ repository, path, text }) => ({ repository, path, text: text.replace(/\r\n?/g, '\n') }));
}
