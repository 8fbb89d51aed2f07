import { expect, it } from 'vitest';
import { postProcess } from '../../../../../server/src/completion/postprocess/post-process.js';
import { cursorContext } from '../../../../support/cursor-fixture.js';

it('runs the filters one after the other', () => {
  const generated = { text: 'a, b); <|endoftext|>x', finished: true };
  expect(postProcess(generated, cursorContext('f(║)'))).toEqual({ kind: 'kept', text: 'a, b' });
});

it('says which filter took the last of the text', () => {
  expect(postProcess({ text: '   ', finished: true }, cursorContext('║'))).toEqual({
    kind: 'dropped',
    by: 'trailing whitespace',
  });
  expect(postProcess({ text: ')', finished: true }, cursorContext('f(║)'))).toEqual({
    kind: 'dropped',
    by: 'closing brackets',
  });
  expect(postProcess({ text: '', finished: true }, cursorContext('║'))).toEqual({
    kind: 'dropped',
    by: 'nothing generated',
  });
});
