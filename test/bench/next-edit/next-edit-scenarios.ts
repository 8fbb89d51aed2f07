import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type DueEdit, RepeatedEdits } from '../../../server/src/next-edit/repeat/repeated-edits.js';
import type { EditedText } from '../../../server/src/next-edit/repeat/replacement.js';
import { LEAST_CHANCE } from '../../../server/src/next-edit/repeat/site-odds.js';
import type { SyntaxTrees } from '../../../server/src/syntax/syntax-trees.js';
import { parsedSyntax } from '../../support/code/parsed-syntax.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

interface ScenarioEdit {
  readonly path: string;
  readonly original: string;
  readonly updated: string;
}

/** A place in a real commit, after some of its edits. */
export interface NextEditScenario {
  /** `none`: nothing is due here; `repeat`: a replacement made before applies here; `edit`: the commit's next hunk. */
  readonly kind: 'none' | 'repeat' | 'edit';
  readonly repository: string;
  readonly path: string;
  /** One-based first line of the region. */
  readonly line: number;
  /** Oldest first. */
  readonly edits: readonly ScenarioEdit[];
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

/** The edits as the server remembers them. */
export function editsOf({ edits }: NextEditScenario): readonly EditedText[] {
  return edits.map(({ path: uri, original, updated }) => ({ uri, line: null, original, updated }));
}

/** What the tier without a model finds likely in the region, in order. */
export async function repeatsIn(scenario: NextEditScenario, trees: SyntaxTrees): Promise<readonly DueEdit[]> {
  const document = { uri: scenario.path, languageId: languageOf(scenario.path), text: scenario.current };
  const searched = { ...document, syntax: await parsedSyntax(trees, document) };
  const repeated = new RepeatedEdits(editsOf(scenario), (uri) => (uri === document.uri ? searched : null));
  return repeated.in(searched).filter(({ chance }) => chance >= LEAST_CHANCE);
}

function languageOf(file: string): string {
  const LANGUAGES: Readonly<Record<string, string>> = {
    '.py': 'python',
    '.ts': 'typescript',
    '.tsx': 'typescriptreact',
  };
  return LANGUAGES[path.extname(file)] ?? 'javascript';
}

/** Weights are fitted on one half and judged on the other. */
export function halves<Scenario>(scenarios: readonly Scenario[]) {
  const half = (rest: number) => scenarios.filter((_, index) => index % 2 === rest);
  return { fitted: half(0), judged: half(1) };
}
