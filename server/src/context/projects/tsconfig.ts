import path from 'node:path/posix';
import { isRecord, isText, isTexts } from '../../../protocol/index.js';
import { withoutByteOrderMark } from '../files/byte-order-mark.js';
import { withoutComments } from './json-with-comments.js';
import { type StarPattern, starPattern, starTargets } from './star-patterns.js';

const MOST_CHARACTERS = 65_536;
const MOST_PATTERNS = 256;
const MOST_TARGETS = 8;
const LONGEST_PATTERN = 256;
const MOST_REFERENCES = 8;
const MOST_FOLDERS = 8;

const FILE_NAME = 'tsconfig.json';

/** What a `tsconfig.json` or `jsconfig.json` says of imports. Paths are absolute. */
export interface TsConfig {
  /** Configurations that it extends, the most important last; of each the files that it may be, most likely first. */
  readonly extends: readonly (readonly string[])[];
  /** Configurations of the project's parts. */
  readonly references: readonly string[];
  readonly baseUrl: string | null;
  /** Null where it says nothing, and so what it extends counts. Targets are absolute. */
  readonly paths: readonly StarPattern[] | null;
}

/** Null for a text that is no configuration. @param file absolute; the text's paths are relative to its folder */
export function parseTsConfig(text: string, file: string): TsConfig | null {
  if (text.length > MOST_CHARACTERS) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(withoutComments(withoutByteOrderMark(text)));
  } catch {
    // It is being edited, or it is none.
    return null;
  }
  if (!isRecord(parsed)) return null;
  const folder = path.dirname(file);
  const options = isRecord(parsed.compilerOptions) ? parsed.compilerOptions : {};
  const baseUrl = isText(options.baseUrl) ? path.join(folder, options.baseUrl) : null;
  return {
    extends: textsOf(parsed.extends)
      .filter((each) => each.length <= LONGEST_PATTERN)
      .map((each) => extendedFiles(folder, each)),
    references: referencesOf(parsed.references).map((each) => referredFile(folder, each)),
    baseUrl,
    paths: isRecord(options.paths) ? patternsOf(options.paths, baseUrl ?? folder) : null,
  };
}

/** Where a specifier may lead, most likely first; without extensions. As for TypeScript, the best pattern decides alone. */
export function aliasTargets(
  { paths, baseUrl }: Pick<TsConfig, 'paths' | 'baseUrl'>,
  specifier: string,
): readonly string[] {
  if (specifier.length > LONGEST_PATTERN) return [];
  return starTargets(paths ?? [], specifier) ?? (baseUrl === null ? [] : [path.join(baseUrl, specifier)]);
}

function patternsOf(paths: Readonly<Record<string, unknown>>, base: string): readonly StarPattern[] {
  return Object.entries(paths)
    .slice(0, MOST_PATTERNS)
    .flatMap(([pattern, values]): StarPattern[] => {
      if (pattern.length > LONGEST_PATTERN) return [];
      const targets = textsOf(values)
        .slice(0, MOST_TARGETS)
        .filter((target) => target.length <= LONGEST_PATTERN)
        .map((target) => path.join(base, target));
      const parsed = starPattern(pattern, targets);
      return parsed === null ? [] : [parsed];
    });
}

function referencesOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, MOST_REFERENCES)
    .flatMap((each: unknown) => (isRecord(each) && isText(each.path) ? [each.path] : []))
    .filter((each) => each.length <= LONGEST_PATTERN);
}

function textsOf(value: unknown): readonly string[] {
  if (isText(value)) return [value];
  return isTexts(value) ? value.slice(0, MOST_REFERENCES) : [];
}

/** TypeScript adds `.json` to a path, and looks for a package in `node_modules` of the folders above. */
function extendedFiles(folder: string, name: string): readonly string[] {
  // On Windows a whole path may name another machine.
  if (path.isAbsolute(name)) return [];
  if (/^\.{1,2}\//.test(name)) return jsonFiles(path.join(folder, name));
  if (/^\.{1,2}$/.test(name)) return [path.join(folder, name, FILE_NAME)];
  if (name.split('/').includes('..')) return [];
  const files: string[] = [];
  for (let above = folder, count = 0; count < MOST_FOLDERS; above = path.dirname(above), count += 1) {
    const file = path.join(above, 'node_modules', name);
    files.push(...jsonFiles(file), path.join(file, FILE_NAME));
    if (above === path.dirname(above)) break;
  }
  return files;
}

function jsonFiles(file: string): readonly string[] {
  return file.endsWith('.json') ? [file] : [file, `${file}.json`];
}

/** A file, or a folder that holds one. */
function referredFile(folder: string, name: string): string {
  const file = path.join(folder, name);
  return file.endsWith('.json') ? file : path.join(file, FILE_NAME);
}
