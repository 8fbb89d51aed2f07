import { expect, it } from 'vitest';
import { excludingGlob, namesWith } from '../../../../../extension/src/chat/attachments/search-globs.js';

it.each<[string, unknown, string | null]>([
  ['those that are on', { '**/node_modules': true, '**/dist': false, out: true }, '{**/node_modules,out}'],
  ['one alone', { '**/node_modules': true }, '{**/node_modules}'],
  ['none with a condition', { '**/*.js': { when: '$(basename).ts' } }, null],
  ['each choice of braces, which do not nest', { '**/{a,{b,c}}/x': true }, '{**/a/x,**/b/x,**/c/x}'],
  ['no glob that would end the list', { 'a,b': true, 'c}': true, '{d': true, e: true }, '{e}'],
  ['no glob with very many choices', { '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}': true, e: true }, '{e}'],
  ['nothing without a setting', undefined, null],
  ['nothing of what is no setting', 'dist', null],
])('leaves out %s', (_name, setting, glob) => {
  expect(excludingGlob(setting)).toBe(glob);
});

it.each([
  ['readme', '**/*[rR][eE][aA][dD][mM][eE]*'],
  ['a-1', '**/*[aA]-1*'],
  ['src/ca', '**/*[cC][aA]*'],
  ['a[*]{', '**/*[aA]????*'],
  ['ß', '**/*ß*'],
])('searches names with %s in any case', (letters, glob) => {
  expect(namesWith(letters)).toBe(glob);
});
