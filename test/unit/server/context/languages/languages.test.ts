import { describe, expect, it } from 'vitest';
import type { LanguageSupport } from '../../../../../server/src/context/languages/language-support.js';
import { familyOf, languageById, languageByPath } from '../../../../../server/src/context/languages/languages.js';

function language(id: string): LanguageSupport {
  const found = languageById(id);
  if (found === null) throw new Error(`No support for ${id}`);
  return found;
}

function declared(id: string, text: string): Record<string, string> {
  return Object.fromEntries(
    language(id)
      .declarations(text.split('\n'))
      .map((each) => [each.name, each.text]),
  );
}

/** Specifier to imported names. */
function imported(id: string, text: string): unknown[] {
  return [...language(id).parseImports(text)].map(({ specifier, names }) => [
    specifier,
    names?.map((name) => Object.values(name).join('>')) ?? null,
  ]);
}

function targets(id: string, specifier: string, from: string, names: readonly string[] | null = null) {
  const taken = names?.map((name) => ({ local: name, declared: name })) ?? null;
  return language(id).importTargets({ specifier, names: taken }, from, '/w');
}

describe('a language', () => {
  it('is found by its identifier and by the file', () => {
    expect(languageByPath('/a/B.TSX')).toBe(languageById('typescriptreact'));
    expect(languageByPath('/a/types.d.ts')).toBe(languageById('typescript'));
    expect(languageByPath('/a/x.unknown')).toBeNull();
    expect(familyOf('javascript')).toBe('typescript');
    expect(familyOf('ruby')).toBe('ruby');
  });
});

describe('TypeScript', () => {
  it('imports', () => {
    const text = `import fs from 'node:fs';
import type { A, B as C } from './a.js';
import D, {
  type E,
  F,
} from "../d";
import * as g from './g';
export * from './h.js';
export { I } from './i.js';
const { j, k: l } = require('./j');
import './side-effect.css';
`;
    expect(imported('typescript', text)).toEqual([
      ['node:fs', ['fs>fs']],
      ['./a.js', ['A>A', 'B>C']],
      ['../d', ['E>E', 'F>F', 'D>D']],
      ['./g', null],
      ['./h.js', null],
      ['./i.js', ['I>I']],
      ['./j', ['j>j', 'k>l']],
    ]);
  });

  it('resolves like the compiler', () => {
    expect(targets('typescript', './b.js', '/w/src/a.ts')[0]).toBe('/w/src/b.ts');
    expect(targets('typescript', './b.js', '/w/src/a.ts')).toContain('/w/src/b.js');
    expect(targets('typescript', '../b', '/w/src/a.ts')).toContain('/w/b/index.ts');
    expect(targets('typescript', './b.ts', '/w/src/a.ts')[0]).toBe('/w/src/b.ts');
    expect(targets('typescript', '@/b', '/w/app/a.ts')[0]).toBe('/w/src/b.ts');
    expect(targets('typescript', 'react', '/w/src/a.ts')).toEqual([]);
  });

  it('declares', () => {
    const text = `/** A cart. */
export class Cart<T> extends Base {
  readonly items: T[] = [];
  private secret = 1;
  #hidden = 2;

  // A comment.
  constructor(
    readonly name: string,
    size: number,
  ) {
    super();
  }

  get total(): number {
    if (this.items.length > 0) {
      return 1;
    }
    return 0;
  }
}

export interface Item {
  name: string;
}

export type Handler = (event: Event) => void;
export const LIMIT = 10;
export async function load(path: string, options: Options = {}): Promise<Item> {
  return read(path);
}
export const map = (items: Item[]) => {
  return items;
};
`;
    expect(declared('typescript', text)).toEqual({
      Cart: `export class Cart<T> extends Base {
  readonly items: T[] = [];
  constructor(
    readonly name: string,
    size: number,
  );
  get total(): number;
}
`,
      Item: 'export interface Item {\n  name: string;\n}\n',
      Handler: 'export type Handler = (event: Event) => void;\n',
      LIMIT: 'export const LIMIT = 10;\n',
      load: 'export async function load(path: string, options: Options = {}): Promise<Item>;\n',
      map: 'export const map = (items: Item[]) =>;\n',
    });
  });
});

describe('Python', () => {
  it('imports', () => {
    const text = `import os, numpy as np
from . import sibling
from ..pkg.mod import (
    First,
    second as other,  # why
)
from x import *
`;
    expect(imported('python', text)).toEqual([
      ['os', null],
      ['numpy', null],
      ['.', ['sibling>sibling']],
      ['.sibling', null],
      ['..pkg.mod', ['First>First', 'second>other']],
      ['..pkg.mod.First', null],
      ['..pkg.mod.second', null],
      ['x', null],
    ]);
  });

  it('resolves relative imports beside the file, others below the roots', () => {
    expect(targets('python', '.sibling', '/w/app/sub/a.py')[0]).toBe('/w/app/sub/sibling.py');
    expect(targets('python', '..pkg.mod', '/w/app/sub/a.py')[0]).toBe('/w/app/pkg/mod.py');
    expect(targets('python', '.', '/w/app/a.py')).toEqual(['/w/app/__init__.py']);
    expect(targets('python', 'app.b', '/w/lib/app/a.py')).toEqual(
      expect.arrayContaining(['/w/app/b.py', '/w/src/app/b.py', '/w/lib/app/b.py', '/w/lib/app/b/__init__.py']),
    );
  });

  it('declares', () => {
    const text = `LIMIT = 3

@dataclass
class Item:
    """A thing."""

    name: str
    price: float = 0.0

    def total(self, count: int) -> float:
        if count:
            return self.price * count
        return 0

    @property
    def label(
        self,
    ) -> str:
        return self.name


async def load(path):
    return path
`;
    expect(declared('python', text)).toEqual({
      LIMIT: 'LIMIT = 3\n',
      Item: `@dataclass
class Item:
    name: str
    price: float = 0.0
    def total(self, count: int) -> float: ...
    def label(
        self,
    ) -> str: ...
`,
      load: 'async def load(path): ...\n',
    });
  });
});

describe('Go', () => {
  it('imports packages, which are folders', () => {
    const text = 'package a\n\nimport "fmt"\nimport (\n\tstore "example.com/shop/internal/store"\n\t_ "embed"\n)\n';
    expect(imported('go', text)).toEqual([
      ['fmt', null],
      ['example.com/shop/internal/store', null],
      ['embed', null],
    ]);
    expect(targets('go', 'example.com/shop/internal/store', '/w/a.go')).toEqual([
      '/w/shop/internal/store/',
      '/w/internal/store/',
      '/w/store/',
    ]);
    expect(targets('go', 'fmt', '/w/a.go')).toEqual([]);
  });

  it('declares', () => {
    const text = `type Store struct {
	items map[string]Item
}

func (s *Store) Get(id string) (Item, error) {
	return s.items[id], nil
}

const Limit = 3
`;
    expect(declared('go', text)).toEqual({
      Store: 'type Store struct {\n\titems map[string]Item\n}\n',
      Get: 'func (s *Store) Get(id string) (Item, error)\n',
      Limit: 'const Limit = 3\n',
    });
  });
});

describe('Rust', () => {
  it('imports', () => {
    const text = 'mod store;\nuse crate::cart::{self, Item, price::{Price as P, *}};\nuse std::fmt;\n';
    expect(imported('rust', text)).toEqual([
      ['self::store', null],
      ['crate::cart', null],
      ['crate::cart', ['Item>Item']],
      ['crate::cart::Item', null],
      ['crate::cart::price', ['Price>P']],
      ['crate::cart::price::Price', null],
      ['crate::cart::price', null],
      ['std', ['fmt>fmt']],
      ['std::fmt', null],
    ]);
  });

  it('looks in modules', () => {
    expect(targets('rust', 'self::store', '/w/src/main.rs')).toEqual(['/w/src/store.rs', '/w/src/store/mod.rs']);
    expect(targets('rust', 'self::store', '/w/src/shop.rs')[0]).toBe('/w/src/shop/store.rs');
    expect(targets('rust', 'super::cart', '/w/src/shop/store.rs')[0]).toBe('/w/src/shop/cart.rs');
    expect(targets('rust', 'super::super::cart', '/w/src/shop/store.rs')[0]).toBe('/w/src/cart.rs');
    expect(targets('rust', 'crate::cart', '/w/crates/a/src/shop/store.rs')[0]).toBe('/w/crates/a/src/cart.rs');
    expect(targets('rust', 'std::fmt', '/w/src/main.rs')).toEqual([]);
  });

  it('declares', () => {
    const text = `#[derive(Debug)]
pub struct Item {
    pub name: String,
}

impl Item {
    /// Sums up.
    pub fn total(&self, count: u32) -> f64 {
        self.price * f64::from(count)
    }
}

pub(crate) fn load(path: &Path) -> Result<Item> {
    todo()
}
`;
    const declarations = language('rust').declarations(text.split('\n'));
    expect(declarations.map((each) => each.text)).toEqual([
      '#[derive(Debug)]\npub struct Item {\n    pub name: String,\n}\n',
      'impl Item {\n    pub fn total(&self, count: u32) -> f64;\n}\n',
      'pub(crate) fn load(path: &Path) -> Result<Item>;\n',
    ]);
    expect(declarations.map((each) => each.name)).toEqual(['Item', 'Item', 'load']);
  });
});

describe('Java', () => {
  it('imports', () => {
    const text =
      'package shop.cart;\nimport shop.store.Item;\nimport shop.util.*;\nimport static shop.Limits.MAX;\nclass A {}\n';
    expect(imported('java', text)).toEqual([
      ['shop.cart:shop.store.Item', ['Item>Item']],
      ['shop.cart:shop.util', null],
      ['shop.cart:shop.Limits.MAX', ['MAX>MAX']],
    ]);
    const from = '/w/src/main/java/shop/cart/A.java';
    expect(targets('java', 'shop.cart:shop.store.Item', from, ['Item'])[0]).toBe(
      '/w/src/main/java/shop/store/Item.java',
    );
    expect(targets('java', 'shop.cart:shop.util', from)[0]).toBe('/w/src/main/java/shop/util/');
    expect(targets('java', 'shop.cart:shop.Limits.MAX', from, ['MAX'])).toContain('/w/src/main/java/shop/Limits.java');
  });

  it('declares', () => {
    const text = `public final class Cart {
    private int size;
    public static final int MAX = 3;

    @Override
    public int total(List<Item> items) {
        return items.size();
    }
}
`;
    expect(declared('java', text)).toEqual({
      Cart: `public final class Cart {
    public static final int MAX = 3;
    public int total(List<Item> items);
}
`,
    });
  });
});

describe('C and C++', () => {
  it('includes', () => {
    expect(imported('cpp', '#include <vector>\n#  include "cart/item.h"\n')).toEqual([
      ['vector', null],
      ['cart/item.h', null],
    ]);
    expect(targets('cpp', 'cart/item.h', '/w/src/a.cpp')).toEqual([
      '/w/src/cart/item.h',
      '/w/cart/item.h',
      '/w/include/cart/item.h',
    ]);
  });

  it('declares', () => {
    const text = `#define LIMIT 3
struct item {
    int count;
};

class Cart : public Base {
public:
    explicit Cart(int size);
    int total() const {
        return 1;
    }

private:
    int size_;
};

int add(const item *left, int right);
static void run(void) {
    return;
}
return add(1, 2);
`;
    expect(declared('cpp', text)).toEqual({
      LIMIT: '#define LIMIT 3\n',
      item: 'struct item {\n    int count;\n};\n',
      Cart: `class Cart : public Base {
public:
    explicit Cart(int size);
    int total() const;
private:
    int size_;
};
`,
      add: 'int add(const item *left, int right);\n',
      run: 'static void run(void);\n',
    });
  });
});
