import { describe, expect, it } from 'vitest';
import {
  type ChangeTarget,
  proposeChange,
  replacePart,
} from '../../../../../extension/src/chat/code/proposed-change.js';
import { anchorIn } from '../../../../support/code/fixtures.js';

const TEXT = 'class A {\n  one() {}\n  two() {}\n  one() {}\n}\n';
const at = (selectionStart: number, rest: Partial<ChangeTarget> = {}): ChangeTarget => ({
  text: TEXT,
  shown: null,
  wholeFile: false,
  selectionStart,
  selectionEnd: selectionStart,
  ...rest,
});

const CART = `import { Item } from './item.js';

/** What a customer buys. */
export class Cart {
  readonly items: Item[] = [];

  add(item: Item): void {
    this.items.push(item);
  }

  total(): number {
    let sum = 0;
    for (const item of this.items) {
      sum += item.price;
    }
    return sum;
  }
}

export function format(cart: Cart): string {
  return \`\${cart.total()} EUR\`;
}
`;
const wholeCart: ChangeTarget = { text: CART, shown: null, wholeFile: true, selectionStart: 0, selectionEnd: 0 };
const TOTAL = CART.slice(CART.indexOf('  total()'), CART.indexOf('}\n\nexport'));
const NEW_TOTAL = `  total(): number {
    return this.items.reduce((sum, { price }) => sum + price, 0);
  }
`;

/** A target that shows a part of the cart, which is still selected. */
function selecting(part: string, rest: Partial<ChangeTarget> = {}): ChangeTarget {
  const start = anchorIn(CART, part);
  return {
    ...wholeCart,
    wholeFile: false,
    shown: part,
    selectionStart: start,
    selectionEnd: start + part.length,
    ...rest,
  };
}
const ADD = CART.slice(anchorIn(CART, '  add('), anchorIn(CART, '\n  total()'));
const NEW_ADD = '  add(...items: Item[]): void {\n    this.items.push(...items);\n  }\n';
const LOOP = CART.slice(anchorIn(CART, '    let sum'), anchorIn(CART, '  }\n}\n\nexport'));
const TEST_OF_ADD = `import { expect, test } from 'vitest';
import { Cart } from './cart.js';

test('add puts an item into the cart', () => {
  const cart = new Cart();
  const item = { price: 1 };
  cart.add(item);
  expect(cart.items).toEqual([item]);
});
`;

describe('with a part that the question showed', () => {
  it('replaces the part at the occurrence nearest to the cursor', () => {
    const shown = '  one() {}\n';
    const code = 'one() { return 1; }';
    expect(proposeChange(code, at(0, { shown }))).toBe(TEXT.replace('one() {}', code));
    expect(proposeChange(code, at(TEXT.length, { shown }))).toBe(`class A {\n  one() {}\n  two() {}\n  ${code}\n}\n`);
  });

  it('is indented like the part, whose blanks around it stay', () => {
    expect(proposeChange('two() {\n  return 2;\n}', at(0, { shown: '  two() {}' }))).toBe(
      'class A {\n  one() {}\n  two() {\n    return 2;\n  }\n  one() {}\n}\n',
    );
    expect(proposeChange(NEW_ADD, selecting(`\n${ADD}\n`))).toBe(CART.replace(ADD, NEW_ADD));
  });

  it('replaces statements by others with the same words', () => {
    const code = 'return this.items.reduce((sum, { price }) => sum + price, 0);';
    expect(proposeChange(code, selecting(LOOP))).toBe(CART.replace(LOOP, `    ${code}\n`));
  });

  it('replaces within the part what the code begins and ends with, and says no place without both ends', () => {
    const code = 'let sum = 0;\nfor (const item of this.items) {\n  sum += item.price * 2;\n}';
    const long = `    // first\n${LOOP}    // last\n`;
    const target = { ...selecting(LOOP), text: CART.replace(LOOP, long), shown: long };
    expect(proposeChange(code, target)).toBe(CART.replace(LOOP, long.replace('item.price', 'item.price * 2')));
    const loop = code.slice(code.indexOf('for'));
    expect(proposeChange(loop, target)).toBeNull();
  });

  it('replaces a part of a line by more of it', () => {
    expect(proposeChange('item.price * item.count', selecting('item.price'))).toBe(
      CART.replace('item.price', 'item.price * item.count'),
    );
  });

  it('replaces a part that changed meanwhile if it is selected', () => {
    const start = anchorIn(CART, ADD);
    const changed = selecting(ADD, { shown: 'gone', selectionStart: start, selectionEnd: start + ADD.length });
    expect(proposeChange(NEW_ADD, changed)).toBe(CART.replace(ADD, NEW_ADD));
  });

  it('replaces what the code declares, not the part', () => {
    expect(proposeChange(NEW_TOTAL, selecting(ADD))).toBe(CART.replace(TOTAL, NEW_TOTAL));
    expect(proposeChange(NEW_TOTAL, selecting(ADD, { shown: 'gone' }))).toBe(CART.replace(TOTAL, NEW_TOTAL));
    expect(proposeChange(`${NEW_ADD}\n${NEW_TOTAL}`, selecting(ADD))).toBe(
      CART.replace(ADD, NEW_ADD).replace(TOTAL, NEW_TOTAL),
    );
  });

  it('replaces one method where the answer has its class around it, with or without a word about the rest', () => {
    for (const rest of ['', '  // ...\n']) {
      const code = `export class Cart {\n${rest}${NEW_ADD}}\n`;
      expect(proposeChange(code, selecting(ADD))).toBe(CART.replace(ADD, NEW_ADD));
    }
    const text = 'interface Item {\n  price: number;\n  count: number;\n}\n';
    const target = { ...selecting(ADD), text, shown: '  count: number;\n' };
    expect(proposeChange('interface Item {\n  count: bigint;\n}', target)).toBeNull();
  });

  it('puts the imports of the code to the others', () => {
    const imported = "import { log } from './log.js';\n";
    expect(proposeChange(`${imported}\n${NEW_ADD}`, selecting(ADD))).toBe(
      CART.replace(ADD, NEW_ADD).replace("item.js';\n", `item.js';\n${imported}`),
    );
  });

  it.each([
    ['tests the part', TEST_OF_ADD, ADD],
    [
      'tests a whole class',
      TEST_OF_ADD,
      CART.slice(anchorIn(CART, 'export class'), anchorIn(CART, '\nexport function')),
    ],
    ['uses the part', 'const cart = new Cart();\ncart.add({ price: 1 });', ADD],
    ['uses a selected word', 'cart.total();', 'item'],
    ['declares something else', 'function other() {\n  return 1;\n}', LOOP],
    ['has none of its words', 'npm install vitest', LOOP],
    ['leaves out most of the part', '// ...\nreturn sum;', LOOP],
    ['has a variable named like a method', 'const total = sum + 1;', ADD],
  ])('has no place where the code %s', (_name, code, part) => {
    expect(proposeChange(code, selecting(part))).toBeNull();
  });

  it('is replaced by such code if the user says so', () => {
    expect(replacePart(NEW_TOTAL, selecting(ADD))).toBe(CART.replace(ADD, NEW_TOTAL));
    expect(replacePart('x', wholeCart)).toBeNull();
  });
});

describe('with a file that the question showed whole', () => {
  it.each([
    ['as it is in the file', NEW_TOTAL],
    ['without its indentation', NEW_TOTAL.replaceAll(/^ {2}/gm, '')],
    ['inside its class, the rest left out', `export class Cart {\n  // ...\n\n${NEW_TOTAL}}\n`],
    ['inside its class, the rest named as left out', `class Cart {\n  // existing code\n${NEW_TOTAL}}`],
  ])('replaces a method, written %s', (_name, code) => {
    expect(proposeChange(code, wholeCart)).toBe(CART.replace(TOTAL, NEW_TOTAL));
  });

  it('replaces several declarations, and adds a new one behind the one before it', () => {
    const code = `${NEW_TOTAL}
  count(): number {
    return this.items.length;
  }
`;
    expect(proposeChange(code, wholeCart)).toBe(CART.replace(TOTAL, code));
    const format = 'export function format(cart: Cart): string {\n  return String(cart.total());\n}\n';
    const both = proposeChange(`class Cart {\n  // ...\n${NEW_TOTAL}}\n\n${format}`, wholeCart);
    expect(both).toBe(CART.slice(0, CART.indexOf('export function')).replace(TOTAL, NEW_TOTAL) + format);
  });

  it('adds a missing import to the others, and does not repeat one', () => {
    const code = `import { Item } from './item.js';\nimport { sum } from './sum.js';\n\n${NEW_TOTAL.trimEnd().replaceAll(/^ {2}/gm, '')}`;
    expect(proposeChange(code, wholeCart)).toBe(
      CART.replace(TOTAL, NEW_TOTAL).replace("item.js';\n", "item.js';\nimport { sum } from './sum.js';\n"),
    );
  });

  it('keeps comments above a declaration unless the code has its own', () => {
    const text = '# adds\n@cache\ndef add(a, b):\n    return a + b\n\nx = 1\n';
    const target = { ...wholeCart, text };
    expect(proposeChange('def add(a, b):\n    return b + a', target)).toBe(text.replace('a + b', 'b + a'));
    expect(proposeChange('# sums\ndef add(a, b):\n    return b + a', target)).toBe(
      '# sums\ndef add(a, b):\n    return b + a\n\nx = 1\n',
    );
  });

  it('replaces the file if the code repeats all that it declares', () => {
    const again = CART.replace('EUR', 'USD');
    expect(proposeChange(again, wholeCart)).toBe(again);
  });

  it('finds lines without a declaration by the lines around them', () => {
    const code = 'let sum = 0;\nfor (const item of this.items) {\n  sum += item.price * item.count;\n}\nreturn sum;';
    expect(proposeChange(code, wholeCart)).toBe(CART.replace('item.price', 'item.price * item.count'));
  });

  it.each([
    ['begins', 'const sum = 0;\nfor (const item of this.items) {\n  sum += item.price;\n}\nreturn sum;'],
    ['ends', 'let sum = 0;\nfor (const item of this.items) {\n  sum += item.price;\n}\nreturn sum * 2;'],
  ])('has no place by lines where the code %s with another line', (_name, code) => {
    expect(proposeChange(code, wholeCart)).toBeNull();
  });

  it('replaces a file that declares nothing by one of about its length', () => {
    const text = 'a: 1\nb: 2\nc: 3\n';
    expect(proposeChange('a: 2\nz: 3', { ...wholeCart, text })).toBe('a: 2\nz: 3\n');
    expect(proposeChange('z: 3', { ...wholeCart, text })).toBeNull();
  });

  it.each([
    ['declares nothing of the file', 'function other() {\n  return 1;\n}'],
    ['is a call', 'cart.total();'],
    ['leaves out what it does not name', '// ...\nreturn 5;'],
    ['names a declaration that is there twice', 'one() {\n  return 1;\n}', TEXT],
  ])('has no place, and never the cursor or a selection, where the code %s', (_name, code, text = CART) => {
    for (const selectionEnd of [9, 12, text.length / 2]) {
      expect(proposeChange(code, { ...wholeCart, text, selectionStart: 9, selectionEnd })).toBeNull();
    }
  });

  it('is not replaced by other code that is about as long, where it declares nothing', () => {
    const text = 'a: 1\nb: 2\nc: 3\n';
    expect(proposeChange('function f() {\n  return 1;\n}', { ...wholeCart, text })).toBeNull();
    expect(proposeChange('x: 1\ny: 2', { ...wholeCart, text })).toBeNull();
  });

  it('replaces selected lines only by code with the same words', () => {
    const code = 'return this.items.reduce((sum, { price }) => sum + price, 0);';
    expect(proposeChange(code, selecting(LOOP, { wholeFile: true, shown: null }))).toBe(
      CART.replace(LOOP, `    ${code}\n`),
    );
    expect(proposeChange(NEW_TOTAL, selecting(ADD, { wholeFile: true, shown: null }))).toBe(
      CART.replace(TOTAL, NEW_TOTAL),
    );
  });

  it('finds the members of a C++ class that are defined outside of it', () => {
    const text = 'int Cart::total() const {\n  return 1;\n}\n\nvoid Cart::clear() {\n  items.clear();\n}\n';
    const code = 'int Cart::total() const {\n  return 2;\n}';
    expect(proposeChange(code, { ...wholeCart, text })).toBe(text.replace('return 1', 'return 2'));
  });
});

describe('with nothing shown', () => {
  it('goes in at the cursor, unless the code says its place', () => {
    expect(proposeChange('x', at(TEXT.length))).toBe(`${TEXT}x`);
    expect(proposeChange('x', at(0, { shown: ' \n' }))).toBeNull();
    expect(proposeChange('x', at(0, { selectionEnd: 5 }))).toBeNull();
    expect(proposeChange('two() {\n  return 2;\n}', at(0))).toBe(
      TEXT.replace('  two() {}', '  two() {\n    return 2;\n  }'),
    );
  });
});
