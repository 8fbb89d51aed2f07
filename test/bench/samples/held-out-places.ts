import { seededRandom } from '../../support/seeded-random.js';
import { heldOutFiles } from './held-out-files.js';

/** The gate's weights are fitted on two of the repositories; figures are reported on the other two. */
export const FITTED_REPOSITORIES = ['fastify/fastify', 'pallets/click'] as const;
export const REPORTED_REPOSITORIES = ['pmndrs/zustand', 'encode/httpx'] as const;

/** Of the places. */
export const REPORTED_SEED = 20_261_122;
export const FITTED_SEED = 20_261_123;

/** Lines of a real file that are to be typed again. */
export interface HeldOutPlace {
  readonly repository: string;
  readonly path: string;
  readonly languageId: string;
  readonly before: string;
  /** Begins after a line feed and ends with one. */
  readonly passage: string;
  readonly after: string;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  tsx: 'typescriptreact',
  js: 'javascript',
  mjs: 'javascript',
  jsx: 'javascriptreact',
  py: 'python',
};

const LINES = 10;
const MAX_LINE = 120;
const MAX_CHARACTERS = 60_000;

/** The same places for the same files and seed, the same number in each repository. */
export function heldOutPlaces(repositories: readonly string[], count: number, seed: number): readonly HeldOutPlace[] {
  const files = heldOutFiles();
  const random = seededRandom(seed);
  const each = Math.ceil(count / repositories.length);
  return repositories.flatMap((repository) => {
    const own = files.filter((file) => file.repository === repository && file.text.length <= MAX_CHARACTERS);
    const places: HeldOutPlace[] = [];
    for (let tries = 0; places.length < each && tries < 1_000 * each; tries += 1) {
      const { path, text } = own[random.below(own.length)] ?? { path: '', text: '' };
      const place = placeIn(repository, path, text, random.below(text.length + 1));
      if (place !== null) places.push(place);
    }
    return places;
  });
}

function placeIn(repository: string, path: string, text: string, near: number): HeldOutPlace | null {
  const languageId = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)];
  const start = text.indexOf('\n', near) + 1;
  if (languageId === undefined || start === 0) return null;
  const lines = text.slice(start).split('\n').slice(0, LINES);
  const passage = `${lines.join('\n')}\n`;
  const wordy = lines.filter((line) => /\w/.test(line)).length;
  if (lines.length < LINES || wordy < LINES - 3 || lines.some((line) => line.length > MAX_LINE)) return null;
  if (lines[0]?.trim() === '' || start + passage.length >= text.length) return null;
  return {
    repository,
    path,
    languageId,
    before: text.slice(0, start),
    passage,
    after: text.slice(start + passage.length),
  };
}

/** The keys that type a passage: characters, and line feeds with the indentation that the editor adds. */
export function keysOf(passage: string): readonly string[] {
  return passage.match(/\n[ \t]*|[\s\S]/g) ?? [];
}
