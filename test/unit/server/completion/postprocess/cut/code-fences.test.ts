import { expect, it } from 'vitest';
import { cutCodeFences } from '../../../../../../server/src/completion/postprocess/cut/code-fences.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

it.each([
  ['a();\n║', '```typescript\nb();\n```\nThat is all.', 'b();\n'],
  ['a();\n║', '```\nb();', 'b();'],
  ['const a = ║', 'b();\n```\n\nThe code', 'b();\n'],
  ['║', '```\n```', ''],
])('in %j, cuts %j to %j', (document, text, expected) => {
  expect(cutCodeFences(filterInput(document, text))).toBe(expected);
});

it('leaves fences in comments and in markup alone', () => {
  const text = ' like this:\n```\na\n```';
  expect(cutCodeFences(filterInput('/** Use it║', text))).toBe(text);
  expect(cutCodeFences(filterInput('Use it║', text, { languageId: 'markdown' }))).toBe(text);
  expect(cutCodeFences(filterInput('a = ║', '`b`;\nc = ``;'))).toBe('`b`;\nc = ``;');
});

it.each([
  ['python', 'def f(a):\n    ║\n', '"""Doc.\n\n    ```python\n    f(1)\n    ```\n    """\n    return a'],
  ['typescript', '║\n', '/*\n```\nf();\n```\n*/\nconst a = 1;'],
])('in %s, leaves a fence in a string or comment of the text alone: %j', (languageId, document, text) => {
  expect(cutCodeFences(filterInput(document, text, { languageId }))).toBe(text);
});

it('cuts at a fence after a docstring', () => {
  const docstring = '"""Doc.\n\n    ```\n    f(1)\n    ```\n    """\n    return a\n';
  const text = `${docstring}\`\`\`\nThe end.`;
  expect(cutCodeFences(filterInput('def f(a):\n    ║\n', text, { languageId: 'python' }))).toBe(docstring);
});
