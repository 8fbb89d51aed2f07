import type { FilterInput } from '../../../server/src/completion/postprocess/filter.js';
import { cursorContext, cursorFixture } from './cursor-fixture.js';
import { cursorSyntax } from './cursor-syntax.js';

/** A complete text at the cursor of a fixture, in TypeScript without a grammar unless `more` differs. */
export function filterInput(
  marked: string,
  text: string,
  { languageId = 'typescript', ...more }: Partial<FilterInput> & { readonly languageId?: string } = {},
): FilterInput {
  return {
    text,
    finished: true,
    cursor: cursorContext(marked),
    offset: cursorFixture(marked).offset,
    syntax: cursorSyntax(marked, languageId),
    path: null,
    recentEdits: [],
    ...more,
  };
}
