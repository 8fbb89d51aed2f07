import path from 'node:path/posix';
import type { ContextCandidate, ContextQuery, ContextSource, IndexedFile, ResolvedImport } from '../context-source.js';
import { languageById } from '../languages/languages.js';
import { type Nearness, namesNearby } from './names-nearby.js';

const SCORE_IN_USE = 0.5;
const SCORE_OF_NEARNESS = 0.4;
const SCORE_UNUSED = 0.3;
/** At most, of what no line here names yet, in a module that the lines around the cursor name. */
const SCORE_OF_MODULE = 0.15;

/** How many re-exporting files are followed in a row. */
const RE_EXPORT_DEPTH = 2;

/** Declarations of names that the file can use, those used around the cursor first. */
export const IMPORTED_DECLARATIONS: ContextSource = {
  why: 'importedDeclaration',

  find(query) {
    const nearness = namesNearby(query);
    const found = new Map<string, ContextCandidate>();
    const offer = (file: IndexedFile, index: number, score: number): void => {
      const declaration = file.declarations[index];
      if (declaration === undefined) return;
      const key = `${file.key}:${declaration.line}`;
      if ((found.get(key)?.score ?? 0) >= score) return;
      const { line, text } = declaration;
      found.set(key, { path: file.path, fileKey: file.key, line, text, score, why: 'importedDeclaration' });
    };
    for (const each of query.current?.imports ?? []) {
      if (query.expired()) break;
      offerImport(query, each, nearness, offer);
    }
    for (const file of filesInScope(query)) {
      offerNamed(file, (name) => scoreOfUsed(name, nearness), offer);
    }
    return [...found.values()];
  },
};

type Offer = (file: IndexedFile, index: number, score: number) => void;

function offerImport(query: ContextQuery, imported: ResolvedImport, nearness: Nearness, offer: Offer): void {
  const locals = imported.names && new Map(imported.names.map(({ declared, local }) => [declared, local]));
  const ofModule = imported.module === undefined ? 0 : (nearness.get(imported.module) ?? 0);
  const scoreOf = (name: string): number | null => {
    const local = locals?.get(name);
    if (local !== undefined) return scoreOfNearness(nearness.get(local) ?? 0);
    if (locals !== null && imported.module === undefined) return null;
    return scoreOfUsed(name, nearness) ?? (ofModule > 0 ? SCORE_UNUSED + SCORE_OF_MODULE * ofModule : null);
  };
  const seen = new Set([query.key]);
  let targets = imported.targets;
  for (let depth = 0; depth < RE_EXPORT_DEPTH && targets.length > 0; depth++) {
    const files = targets.flatMap((key) => (seen.has(key) ? [] : (query.fileByKey(key) ?? [])));
    for (const file of files) {
      seen.add(file.key);
      offerNamed(file, scoreOf, offer);
    }
    targets = files.flatMap((file) => file.imports.flatMap((passedOn) => passedOn.targets));
  }
}

/** Null for a name that is not used here. */
function scoreOfUsed(name: string, nearness: Nearness): number | null {
  const own = nearness.get(name);
  return own === undefined ? null : scoreOfNearness(own);
}

/** @param nearness 0 for a name that is imported and not used around the cursor */
function scoreOfNearness(nearness: number): number {
  return nearness > 0 ? SCORE_IN_USE + SCORE_OF_NEARNESS * nearness : SCORE_UNUSED;
}

/** @param scoreOf null for a name that is not used here */
function offerNamed(file: IndexedFile, scoreOf: (name: string) => number | null, offer: Offer): void {
  file.declarations.forEach(({ name }, index) => {
    const score = scoreOf(name);
    if (score !== null) offer(file, index, score);
  });
}

function filesInScope({ languageId, key, files, family }: ContextQuery): readonly IndexedFile[] {
  if (languageById(languageId)?.folderIsScope !== true) return [];
  return files.filter((file) => file.family === family && path.dirname(file.key) === path.dirname(key));
}
