import { expect, it } from 'vitest';
import { opensBlock } from '../../../../../server/src/completion/cursor/line-shape.js';

it.each([
  ['ruby', 'def total', true],
  ['ruby', 'def total; end', false],
  ['lua', 'local function total(a)', true],
  ['typescript', 'def total', false],
  ['html', '<div class="a">', true],
  ['html', '  <div', true],
  ['html', '<input type="text">', false],
  ['html', '<div>a</div>', false],
  ['typescriptreact', '<A b={() => c}>', true],
  ['typescriptreact', '<A b={c} />', false],
  ['typescriptreact', 'return <>', true],
  ['typescriptreact', 'const a = a < b >', false],
  ['typescriptreact', 'type A = Map<string>', false],
  ['javascript', 'a = 1 <<b', false],
  ['php', '$a = <<<EOT', false],
  ['c', 'if a <b', false],
  // What every object has is no language.
  ['constructor', 'total', false],
  ['toString', 'total', false],
])('in %s, %j opens a block: %s', (languageId, line, opens) => {
  expect(opensBlock(line, languageId)).toBe(opens);
});
