import { expect, it } from 'vitest';
import { likelyPlaces } from '../../../../../extension/src/chat/code/likely-places.js';
import type { Attachment } from '../../../../../extension/src/chat/conversation/conversation.js';

const shown = (kind: Attachment['kind'], uri: string | null, text = ''): Attachment => ({
  ...{ id: `${kind} ${uri} ${text}`, kind, label: String(uri), uri, languageId: 'typescript', text },
});
const places = (...all: readonly Attachment[]) => likelyPlaces(all, 8).map(({ id }) => id);

it('code may belong to what was shown of documents, the last first', () => {
  const [file, selection] = [shown('file', 'file:///a.ts'), shown('selection', 'file:///b.ts', 'x')];
  const others = [shown('terminal', null), shown('diagnostics', 'file:///c.ts')];
  expect(places(...others, selection, file)).toEqual([selection.id, file.id]);
});

it('a file that each question showed hides no earlier one', () => {
  const often = Array.from({ length: 20 }, (_, version) => shown('file', 'file:///a.ts', `version ${version}`));
  const earlier = shown('file', 'file:///b.ts');
  expect(places(...often, earlier)).toEqual([often[0]?.id, earlier.id]);
});

it('selections of one file are places of their own', () => {
  const [one, other] = [shown('selection', 'file:///a.ts', 'x'), shown('selection', 'file:///a.ts', 'y')];
  expect(places(one, other, one, shown('file', 'file:///a.ts'))).toHaveLength(3);
});

it('only so many are tried', () => {
  const many = Array.from({ length: 20 }, (_, index) => shown('file', `file:///${index}.ts`));
  expect(places(...many)).toEqual(many.slice(0, 8).map(({ id }) => id));
});
