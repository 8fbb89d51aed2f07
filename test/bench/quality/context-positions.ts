import { importsOf } from '../../../server/src/context/languages/language-support.js';
import { languageByPath } from '../../../server/src/context/languages/languages.js';
import { seededRandom } from '../../support/seeded-random.js';
import type { HeldOutFile } from '../samples/held-out-files.js';

/**
 * A cursor before a name of the repository's own that the file does not contain otherwise, and that the declarations of a
 * file which it imports contain. Nobody can know such a name without that file.
 */
export interface ContextPosition {
  readonly file: HeldOutFile;
  readonly languageId: string;
  /** The file without the rest of the cursor's line. */
  readonly text: string;
  readonly offset: number;
  readonly name: string;
}

const LANGUAGE_IDS: Readonly<Record<string, string>> = { py: 'python', ts: 'typescript', tsx: 'typescriptreact' };

const NAME = /[A-Za-z_$][\w$]{4,}/g;
const MIN_BEFORE = 4;
const MOST_PER_FILE = 2;

/** The same positions for the same files and seed. */
export function contextPositions(
  files: readonly HeldOutFile[],
  count: number,
  seed: number,
): readonly ContextPosition[] {
  const random = seededRandom(seed);
  const byPlace = new Map(files.map((file) => [placeOf(file), file]));
  const homes = repositoriesByName(files);
  const all = files.flatMap((file) => {
    const found = positionsIn(file, byPlace).filter(({ name }) => homes.get(name)?.size === 1);
    const first = found.length === 0 ? 0 : random.below(found.length);
    return [...found.slice(first), ...found.slice(0, first)].slice(0, MOST_PER_FILE);
  });
  const chosen: ContextPosition[] = [];
  while (chosen.length < count && all.length > 0) chosen.push(...all.splice(random.below(all.length), 1));
  return chosen;
}

/** Keywords, the names of standard libraries and the words that everybody uses are in several. */
function repositoriesByName(files: readonly HeldOutFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const homes = new Map<string, Set<string>>();
  for (const { repository, text } of files) {
    for (const [name] of text.matchAll(NAME)) homes.set(name, (homes.get(name) ?? new Set()).add(repository));
  }
  return homes;
}

/** Where a file lies while its repository is looked at. */
export function placeOf({ repository, path }: Pick<HeldOutFile, 'repository' | 'path'>): string {
  return `/${repository}/${path}`;
}

function positionsIn(file: HeldOutFile, byPlace: ReadonlyMap<string, HeldOutFile>): readonly ContextPosition[] {
  const { path, text, repository } = file;
  const language = languageByPath(path);
  if (language === null) return [];
  const targets = importsOf(language, text).flatMap((each) =>
    language.importTargets(each, placeOf(file), `/${repository}`).flatMap((target) => byPlace.get(target) ?? []),
  );
  const declared = new Set(
    targets.flatMap((target) =>
      language
        .declarations(target.text.split('\n'))
        .flatMap((each) => [...each.text.matchAll(NAME)].map(([name]) => name)),
    ),
  );
  const uses = new Map<string, number[]>();
  for (const { 0: name, index } of text.matchAll(NAME)) uses.set(name, [...(uses.get(name) ?? []), index]);
  return [...uses].flatMap(([name, [offset = 0, ...others]]): ContextPosition[] => {
    const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
    const lineEnd = text.indexOf('\n', offset);
    const before = text.slice(lineStart, offset);
    const isCode = before.trim().length >= MIN_BEFORE && !/^\s*(?:\/\/|\*|#|import|from|export)|['"`]/.test(before);
    if (others.length > 0 || !declared.has(name) || !isCode || lineEnd < 0) return [];
    const languageId = LANGUAGE_IDS[path.slice(path.lastIndexOf('.') + 1)] ?? 'javascript';
    return [{ file, languageId, text: text.slice(0, offset) + text.slice(lineEnd), offset, name }];
  });
}
