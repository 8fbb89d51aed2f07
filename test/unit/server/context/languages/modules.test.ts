import { expect, it } from 'vitest';
import { modules } from './read-language.js';

it.each([
  ['typescript', "import * as cart from './cart';\nimport { a } from './a';\nimport b from './b';\n", ['cart']],
  ['typescript', "import c = require('./c');\n", ['c']],
  ['javascript', "const decorate = require('./decorate');\nconst { d } = require('./d');\n", ['decorate']],
  ['python', 'import shop.cart\nimport shop.prices as rates\n', ['cart', 'rates']],
  ['python', 'from . import cart, prices as rates\n', ['cart', 'rates']],
  ['rust', 'use crate::shop::cart;\nuse crate::shop::prices as rates;\n', ['cart', 'rates']],
  // Its members have no name in front.
  ['rust', 'use crate::shop::*;\n', []],
])('names of whole modules in %s: %j', (id, text, expected) => {
  expect(modules(id, text)).toEqual(expected);
});
