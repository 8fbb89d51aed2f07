import { expect, it } from 'vitest';
import { EditedText } from './editor.js';
import { CODE, type NextEditsUnderTest, nextEditsInEachTest } from './next-edits-under-test.js';

// Changes that an editor tells and that are not just what the user typed.

let next: NextEditsUnderTest;
nextEditsInEachTest((made) => {
  next = made;
});

it('a closer that is typed over the same one is a key too', async () => {
  const document = next.rename();
  next.edit(document, ')', ')');
  await next.settle();
  expect(next.latest.newText).toBe('total');
});

it('switched line ends are no edit, and the edits before them still count', async () => {
  const asked: unknown[] = [];
  next.find = (_document, _others, edits) => {
    asked.push(edits);
    return Promise.resolve({ kind: 'none', reason: 'unchanged' });
  };
  const switchLineEnds = (from: string, to: string) =>
    next.edit(next.own, next.own.getText(), next.own.getText().replaceAll(from, to));
  switchLineEnds('\n', '\r\n');
  await next.settle();
  expect(asked).toEqual([]);

  next.edit(next.own, '3', '4');
  next.edit(next.own, '1', '2');
  switchLineEnds('\r\n', '\n');
  next.edit(next.own, '4', '5');
  await next.settle();
  const [before, after] = [CODE.replace('3', '4'), CODE.replace('3', '5')].map((text) => text.replace('1', '2'));
  expect(asked.at(-1)).toMatchObject([{}, { original: before?.trimEnd(), updated: after?.trimEnd() }]);
});

it('the user is at the last key, not where the editor removed indentation along with it', async () => {
  const document = new EditedText('file:///a.ts', 'f();\n    \ng();\n');
  next.documents = [document];
  let asked: number | null = null;
  next.find = ({ offset }) => {
    asked = offset;
    return Promise.resolve({ kind: 'none', reason: 'unchanged' });
  };
  // Enter behind an empty line, as VS Code tells it.
  const changes = [
    document.change({ offset: 9, removed: '', inserted: '\n    ' }),
    document.change({ offset: 5, removed: '    ', inserted: '' }),
  ];
  next.service.documentEdited(document.uri, document.version, changes);
  await next.settle();
  expect(asked).toBe('f();\n\n    '.length);
});
