import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { typedPath } from '../../../../extension/src/models/typed-path.js';

const HOME = path.resolve('/home/ada');
const MODEL = path.join(HOME, 'my models', 'coder.gguf');

it.each([
  ['a whole path', MODEL],
  ['one with blanks around it', `  ${MODEL}\n`],
  ['one in double quotes', `"${MODEL}"`],
  ['one in single quotes', `'${MODEL}'`],
  ['one below the home folder', '~/my models/coder.gguf'],
  ['a quoted one below the home folder', '"~/my models/coder.gguf"'],
  ['the address of a file', pathToFileURL(MODEL).href],
])('%s is a path', (_what, text) => {
  expect(typedPath(text, HOME)).toBe(MODEL);
});

it.each([
  '',
  '/',
  '~',
  '~/',
  '/models/',
  'coder',
  'coder.gguf',
  './coder.gguf',
  'owner/repository',
  'https://host/coder.gguf',
  'file://host/%ZZ',
  '"',
])('%j is none', (text) => {
  expect(typedPath(text, HOME)).toBeNull();
});

it('knows the paths of Windows there', () => {
  const onWindows = (text: string) => typedPath(text, 'C:\\Users\\ada', path.win32);
  expect(onWindows('"D:\\my models\\coder.gguf"')).toBe('D:\\my models\\coder.gguf');
  expect(onWindows('\\\\server\\share\\coder.gguf')).toBe('\\\\server\\share\\coder.gguf');
  expect(onWindows('~\\coder.gguf')).toBe('C:\\Users\\ada\\coder.gguf');
  expect(onWindows('D:\\models\\')).toBeNull();
});
