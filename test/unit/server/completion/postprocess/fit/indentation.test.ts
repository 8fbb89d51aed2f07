import { describe, expect, it } from 'vitest';
import { fitIndentation } from '../../../../../../server/src/completion/postprocess/fit/indentation.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

const TWO = 'if (a) {\n  b();\n}\nif (c) {\n  d();\n}\n';
const FOUR = TWO.replaceAll('  ', '    ');
const TABS = TWO.replaceAll('  ', '\t');

const adapt = (document: string, text: string) => fitIndentation(filterInput(document, text));

describe('the document decides', () => {
  it.each([
    [
      'spaces to tabs',
      TABS,
      '',
      ' {\n    e();\n    if (f) {\n        g();\n    }\n}',
      ' {\n\te();\n\tif (f) {\n\t\tg();\n\t}\n}',
    ],
    [
      'spaces to tabs below comments whose lines begin with one blank',
      `${'/**\n * A.\n * B.\n * C.\n */\n'.repeat(3)}${TABS}`,
      '',
      ' {\n    e();\n}',
      ' {\n\te();\n}',
    ],
    ['spaces to tabs, one line that is two deep', TABS, '\t', ' &&\n        y', ' &&\n\t\ty'],
    ['spaces to tabs, one line that is three deep', TABS, '\t\t', ' &&\n            y', ' &&\n\t\t\ty'],
    ['two spaces to tabs', TABS, '\t', ' {\n    e();\n  }', ' {\n\t\te();\n\t}'],
    ['tabs to spaces', TWO, '', ' {\n\te();\n}', ' {\n  e();\n}'],
    ['four to two', TWO, '', ' {\n    e();\n}', ' {\n  e();\n}'],
    ['two to four', FOUR, '', ' {\n  e({\n    f,\n  });\n}', ' {\n    e({\n        f,\n    });\n}'],
    ['two to four, deeper', FOUR, '    ', ' {\n      e();\n    }', ' {\n        e();\n    }'],
  ])('%s', (_, document, indentation, text, expected) => {
    expect(adapt(`${document}${indentation}if (x)║`, text)).toBe(expected);
  });
});

it.each([
  ['its own style', `${TWO}if (x)║`, ' {\n  e();\n}'],
  ['the only style', 'if (x)║', ' {\n    e();\n}'],
  ['what is aligned', `${FOUR}if (x ║`, '&& y\n      && z) {\n    e();\n}'],
  ['a comment', `${TWO}/**║`, '\n * e\n */'],
  ['one line', `${TABS}║`, 'e();'],
])('leaves %s alone', (_, document, text) => {
  expect(adapt(document, text)).toBe(text);
});

describe('on a line that is indented', () => {
  it('removes the same indentation again', () => {
    expect(adapt('if (a) {\n  ║\n}', '  b();\n  c();')).toBe('b();\n  c();');
    expect(adapt('  a();\n  ║', '  b();')).toBe('b();');
  });

  it('leaves indentation that leads to the right column', () => {
    expect(adapt('  if (a) {\n  ║', '  b();')).toBe('  b();');
    expect(adapt('a();\n║', '  b();')).toBe('  b();');
  });
});
