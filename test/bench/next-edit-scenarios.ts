import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY_ROOT } from '../support/source-tree.js';

/** A place in a real commit, after some of its edits. */
export interface NextEditScenario {
  /** `none`: nothing is due here; `repeat`: a replacement made before applies here; `edit`: the commit's next hunk. */
  readonly kind: 'none' | 'repeat' | 'edit';
  readonly repository: string;
  readonly path: string;
  /** One-based first line of the region. */
  readonly line: number;
  /** Oldest first. */
  readonly edits: readonly { readonly path: string; readonly original: string; readonly updated: string }[];
  /** The region before these edits, as it is, and as the commit left it. */
  readonly original: string;
  readonly current: string;
  readonly updated: string;
}

const FILE = path.resolve(REPOSITORY_ROOT, '../shared/held-out/next-edit-scenarios.jsonl');

/** @throws where the held-out data is not on this machine */
export function readScenarios(): readonly NextEditScenario[] {
  if (!existsSync(FILE)) throw new Error(`${FILE} is not here; its README says what it holds`);
  return readFileSync(FILE, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as NextEditScenario);
}

/** Weights are fitted on one half and judged on the other. */
export function halves<Scenario>(scenarios: readonly Scenario[]) {
  const half = (rest: number) => scenarios.filter((_, index) => index % 2 === rest);
  return { fitted: half(0), judged: half(1) };
}
