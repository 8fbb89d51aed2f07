import { expect, it } from 'vitest';
import type { ContextQuery, IndexedFile, ResolvedImport } from '../../../../../server/src/context/context-source.js';
import { IMPORTED_DECLARATIONS } from '../../../../../server/src/context/sources/imported-declarations.js';

const NOTHING = { family: 'typescript', lines: [], windows: [], edits: [], visited: 0 };
const MEMBERS = ['addHook', 'existReply', 'decorate'];

const module: IndexedFile = {
  ...NOTHING,
  key: '/w/decorate.js',
  path: 'decorate.js',
  declarations: MEMBERS.map((name, line) => ({ name, line, text: `function ${name}();\n` })),
  imports: [],
};

/** The offered lines, the best first. */
function offered(nearbyLines: readonly string[], imported: Omit<ResolvedImport, 'targets'>): readonly string[] {
  const current = { ...NOTHING, key: '/w/a.js', path: 'a.js', declarations: [] };
  const query: ContextQuery = {
    key: current.key,
    uri: `file://${current.key}`,
    languageId: 'javascript',
    family: 'typescript',
    current: { ...current, imports: [{ ...imported, targets: [module.key] }] },
    nearbyLines,
    cursorLine: nearbyLines.length - 1,
    files: [module],
    fileByKey: (key) => (key === module.key ? module : null),
    expired: () => false,
  };
  const found = IMPORTED_DECLARATIONS.find(query).toSorted((left, right) => right.score - left.score);
  return found.map(({ text }) => text.slice('function '.length, text.indexOf('(')));
}

const OWN = { declared: 'decorator', local: 'decorator' };

it.each([
  ['import * as decorator', null],
  ['decorator = require', [OWN]],
])('%s offers the members of a module that is named near the cursor, those in use first', (_how, names) => {
  const imported = { names, module: 'decorator' };
  const lines = ['decorator.existReply(reply);', 'decorator.'];
  expect(offered(lines, imported)).toEqual(['existReply', 'addHook', 'decorate']);
});

it('offers of a module that is not named nearby only what is in use', () => {
  expect(offered(['existReply(reply);', ''], { names: null, module: 'decorator' })).toEqual(['existReply']);
});

it('offers no members of a name that is no module', () => {
  expect(offered(['decorator.'], { names: [OWN] })).toEqual([]);
});
