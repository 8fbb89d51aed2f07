import { describe, expect, it } from 'vitest';
import { type ChangeTarget, proposeChange } from '../../../../extension/src/chat/proposed-change.js';

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

describe('with the text that the question showed, or a selection', () => {
  it('replaces the shown text, at the occurrence nearest to the cursor', () => {
    const shown = '  one() {}\n';
    expect(proposeChange('  uno() {}\n', at(0, { shown }))).toBe(TEXT.replace('one', 'uno'));
    expect(proposeChange('  uno() {}', at(TEXT.length, { shown }))).toBe(
      'class A {\n  one() {}\n  two() {}\n  uno() {}\n}\n',
    );
  });

  it('is indented like the text that it replaces', () => {
    expect(proposeChange('two() {\n  return 2;\n}', at(0, { shown: '  two() {}' }))).toBe(
      'class A {\n  one() {}\n  two() {\n    return 2;\n  }\n  one() {}\n}\n',
    );
  });

  it('replaces the selection if the shown text is gone', () => {
    const start = TEXT.indexOf('two');
    expect(proposeChange('dos', at(start, { shown: 'gone', selectionEnd: start + 3 }))).toBe(
      TEXT.replace('two', 'dos'),
    );
  });

  it('replaces selected lines, whatever they declare', () => {
    const start = CART.indexOf('  add(');
    const selection = { selectionStart: start, selectionEnd: CART.indexOf('  total()') };
    expect(proposeChange('total() {}', { ...wholeCart, ...selection })).toBe(
      `${CART.slice(0, start)}  total() {}${CART.slice(selection.selectionEnd)}`,
    );
  });

  it('finds the declaration where a shown part has changed', () => {
    expect(proposeChange(NEW_TOTAL, { ...wholeCart, wholeFile: false, shown: 'gone' })).toBe(
      CART.replace(TOTAL, NEW_TOTAL),
    );
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
  ])('has no place, and never the cursor, where the code %s', (_name, code, text = CART) => {
    expect(proposeChange(code, { ...wholeCart, text, selectionStart: 9, selectionEnd: 9 })).toBeNull();
  });
});

describe('with nothing shown', () => {
  it('goes in at the cursor, unless the code says its place', () => {
    expect(proposeChange('x', at(TEXT.length))).toBe(`${TEXT}x`);
    expect(proposeChange('x', at(0, { shown: ' \n' }))).toBeNull();
    expect(proposeChange('two() {\n  return 2;\n}', at(0))).toBe(
      TEXT.replace('  two() {}', '  two() {\n    return 2;\n  }'),
    );
  });
});
