import { expect, it } from 'vitest';
import { Emitter } from '../../../../server/src/util/emitter.js';

it('calls every listener until it is disposed', () => {
  const emitter = new Emitter<number>();
  const seen: string[] = [];
  const first = emitter.event((value) => seen.push(`first ${value}`));
  emitter.event((value) => seen.push(`second ${value}`));
  emitter.fire(1);
  first.dispose();
  first.dispose();
  emitter.fire(2);
  expect(seen).toEqual(['first 1', 'second 1', 'second 2']);
});

it('calls the others even if one listener throws', () => {
  const emitter = new Emitter<void>();
  const seen: string[] = [];
  emitter.event(() => {
    throw new Error('broken');
  });
  emitter.event(() => seen.push('told'));
  expect(() => emitter.fire()).toThrow('broken');
  expect(seen).toEqual(['told']);
});
