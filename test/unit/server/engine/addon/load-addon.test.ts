import { expect, it } from 'vitest';
import { chooseAddonFile, loadAddon } from '../../../../../server/src/engine/addon/load-addon.js';

const having =
  (...files: string[]) =>
  (name: string): boolean =>
    files.includes(name);
const BOTH = having('inkling-avx512.node', 'inkling-avx2.node');

it('chooses the best flavour for the processor', () => {
  expect(chooseAddonFile({ runnable: ['avx512', 'avx2'], wanted: null, exists: BOTH })).toBe('inkling-avx512.node');
  expect(chooseAddonFile({ runnable: ['avx2'], wanted: '', exists: BOTH })).toBe('inkling-avx2.node');
});

it('chooses dot products on an ARM processor that has them', () => {
  const exists = having('inkling-arm64.node', 'inkling-dotprod.node');
  expect(chooseAddonFile({ runnable: ['dotprod', 'arm64'], wanted: null, exists })).toBe('inkling-dotprod.node');
  expect(chooseAddonFile({ runnable: ['arm64'], wanted: null, exists })).toBe('inkling-arm64.node');
});

it('chooses the next flavour when the best one was not built', () => {
  const exists = having('inkling-avx2.node');
  expect(chooseAddonFile({ runnable: ['avx512', 'avx2'], wanted: null, exists })).toBe('inkling-avx2.node');
});

it('grants a request that the processor can run', () => {
  expect(chooseAddonFile({ runnable: ['avx512', 'avx2'], wanted: 'avx2', exists: BOTH })).toBe('inkling-avx2.node');
});

it('chooses the only binary if there is no probe', () => {
  expect(chooseAddonFile({ runnable: null, wanted: 'avx2', exists: having('inkling.node') })).toBe('inkling.node');
});

it.each([
  ['a request that would crash', { runnable: ['avx2'], wanted: 'avx512', exists: BOTH }, /"avx512".*only: avx2/],
  [
    'a request that was not built',
    { runnable: ['avx512'], wanted: 'avx512', exists: having() },
    /inkling-avx512\.node/,
  ],
  ['an old processor', { runnable: [], wanted: null, exists: BOTH }, /does not support AVX2/],
  ['an empty folder', { runnable: null, wanted: null, exists: having() }, /inkling-cpu\.node/],
])('refuses %s', (_, choice, message) => {
  expect(() => chooseAddonFile(choice)).toThrow(expect.objectContaining({ code: 'addonUnavailable' }));
  expect(() => chooseAddonFile(choice)).toThrow(message);
});

it('names the folder that it searched', () => {
  expect(() => loadAddon('/nowhere', {})).toThrow('/nowhere');
});
