import { beforeEach, describe, expect, it } from 'vitest';
import { EditedText } from './editor.js';
import { type NextEditsUnderTest, nextEditsInEachTest } from './next-edits-under-test.js';

let next: NextEditsUnderTest;
nextEditsInEachTest((made) => {
  next = made;
});

describe('an edit that was made in another file and taken back', () => {
  let other: EditedText;

  beforeEach(async () => {
    other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    next.documents.push(other);
    next.see(other);
    next.rename();
    await next.settle();
    for (let made = 0; made < 3; made += 1) {
      next.applyLatest();
      await next.soon();
    }
    expect(other.getText()).toBe('show(total);\n');
    next.service.cursorMoved(other.uri, 10);
  });

  const goOn = async (): Promise<void> => {
    next.announced = [];
    next.service.cursorMoved('file:///a.ts', 0);
    next.edit(next.own, '3;', '4;');
    await next.settle();
  };

  it('is not offered again', async () => {
    next.service.documentUndone(other.uri, other.version + 1);
    next.edit(other, 'total', 'itemCount');
    await goOn();
    expect(next.announced).toEqual([]);
  });

  it('nor where the client tells of the undo after its change', async () => {
    next.edit(other, 'total', 'itemCount');
    next.service.documentUndone(other.uri, other.version);
    await goOn();
    expect(next.announced).toEqual([]);
  });

  it('is offered where the user makes its reason once more', async () => {
    next.service.documentUndone(other.uri, other.version + 1);
    next.edit(other, 'total', 'itemCount');
    next.service.cursorMoved('file:///a.ts', 0);
    next.edit(next.own, 'total', 'itemCount');
    await next.settle();
    next.edit(next.own, 'itemCount', 'sum');
    await next.settle();
    expect(next.latest.newText).toBe('sum');
  });

  it('is still due elsewhere where the user took back something else', async () => {
    const third = new EditedText('file:///c.ts', 'log(itemCount);\n');
    next.documents.push(third);
    next.see(third);
    next.service.cursorMoved(other.uri, 10);
    next.edit(other, ';', ';;');
    next.service.documentUndone(other.uri, other.version + 1);
    next.edit(other, ';;', ';');
    await goOn();
    expect(next.latest.document.uri).toBe(third.uri);
  });
});

it('an edit whose reason the user took back is not offered for what the user made of it elsewhere', async () => {
  const declaring = new EditedText('file:///a.ts', 'export const itemCount = 3;\nlog("x");\n');
  const using = new EditedText('file:///b.ts', "import { itemCount } from './a.js';\nshow(itemCount);\n");
  next.documents = [declaring, using];
  next.see(using);
  next.edit(declaring, 'itemCount', 'total');
  await next.settle();
  next.applyLatest();
  await next.soon();
  expect(using.getText()).toContain('import { total }');
  next.service.cursorMoved(declaring.uri, 5);
  next.service.documentUndone(declaring.uri, declaring.version + 1);
  next.edit(declaring, 'total', 'itemCount');
  next.announced = [];
  next.edit(declaring, '"x"', '"y"');
  await next.settle();
  expect(next.announced).toEqual([]);
});
