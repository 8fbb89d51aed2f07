import { beforeEach, describe, expect, it } from 'vitest';
import { EditedText } from './editor.js';
import { type NextEditsUnderTest, nextEditsInEachTest } from './next-edits-under-test.js';

let next: NextEditsUnderTest;
nextEditsInEachTest((made) => {
  next = made;
});

describe('a place in a file that the editor cannot change', () => {
  const refuse = async () => {
    next.service.noteOutcome(next.latest.id, 'readOnly');
    await next.soon();
  };
  let locked: EditedText;
  let free: EditedText;

  beforeEach(async () => {
    locked = new EditedText('file:///locked.ts', 'show(itemCount);\n');
    free = new EditedText('file:///free.ts', 'hide(itemCount);\n');
    next.documents.push(free, locked);
    next.see(free);
    next.see(locked);
    for (let round = 0; round < 3; round++) next.edit(next.own, 'itemCount', 'total');
    await next.settle();
    expect(next.latest.document.uri).toBe(locked.uri);
  });

  it('is skipped: the next one behind it is announced, which alone counts', async () => {
    expect(next.latest.more).toBe(1);
    await refuse();
    expect(next.latest).toMatchObject({ document: { uri: free.uri }, more: 0 });
    expect(next.counts).toEqual([]);
    expect(next.reasons.slice(0, 2)).toEqual(['repeat', 'readOnly']);
  });

  it('is found again once the file has changed, or the user has come to it', async () => {
    await refuse();
    next.edit(next.own, '3;', '4;');
    await next.settle();
    expect(next.latest.document.uri).toBe(free.uri);
    next.see(locked);
    next.edit(next.own, '4;', '5;');
    await next.settle();
    expect(next.latest.document.uri).toBe(locked.uri);
    await refuse();
    expect(next.latest.document.uri).toBe(free.uri);
    next.edit(locked, ';', '; ');
    next.edit(next.own, '5;', '6;');
    await next.settle();
    expect(next.latest.document.uri).toBe(locked.uri);
  });

  it('hides no edit where the user is in that file', async () => {
    next.edit(next.own, '3;', '4;');
    next.service.cursorMoved(locked.uri, 0);
    await next.settle();
    expect(next.latest.document.uri).toBe(locked.uri);
    await refuse();
    expect(next.latest.document.uri).toBe(free.uri);
  });

  it('is not asked of the model either', async () => {
    const asked: string[][] = [];
    next.find = (document, others) => {
      asked.push([document.uri, ...others.map(({ uri }) => uri)]);
      return Promise.resolve({ kind: 'none', reason: 'unchanged' });
    };
    await refuse();
    next.service.noteOutcome(next.latest.id, 'dismissed');
    next.edit(next.own, '3;', '4; // four');
    await next.settle();
    expect(asked.at(-1)).toEqual(['file:///a.ts', free.uri]);
  });
});
