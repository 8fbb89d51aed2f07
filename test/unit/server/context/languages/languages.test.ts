import { describe, expect, it } from 'vitest';
import { importsOf } from '../../../../../server/src/context/languages/language-support.js';
import { familyOf, languageById, languageByPath } from '../../../../../server/src/context/languages/languages.js';
import { declared, imported, language, targets } from './read-language.js';

describe('a language', () => {
  it('is found by its identifier and by the file', () => {
    expect(languageByPath('/a/B.TSX')).toBe(languageById('typescriptreact'));
    expect(languageByPath('/a/types.d.ts')).toBe(languageById('typescript'));
    expect(languageByPath('/a/x.unknown')).toBeNull();
    expect(familyOf('javascript')).toBe('typescript');
    expect(familyOf('ruby')).toBe('ruby');
  });
});

it.each([
  ['go', 'import "', 'a/', 'a"\n'],
  ['python', 'import ', 'a.', 'a\n'],
  ['java', 'import ', 'a.', 'a;\n'],
  ['rust', 'use ', 'a::', 'a;\n'],
  ['cpp', '#include "', 'a/', 'a.h"\n'],
  ['typescript', "import a from './", 'a/', "a';\n"],
  ['php', 'use ', 'A\\', 'A;\n'],
  ['csharp', 'using ', 'A.', 'A;\n'],
])('an import in %s with thousands of parts is followed nowhere', (id, head, part, tail) => {
  const imports = (parts: number) => importsOf(language(id), head + part.repeat(parts) + tail);
  const from = `/w${'/d'.repeat(20)}/a`;
  expect(imports(3).flatMap((each) => language(id).importTargets(each, from, '/w')).length).toBeGreaterThan(0);
  expect(imports(3).flatMap((each) => language(id).importTargets(each, from, '/w')).length).toBeLessThan(200);
  expect(imports(1_000)).toEqual([]);
  const ends = imports(100).flatMap((each) => language(id).importTargets(each, from, '/w'));
  expect(ends.length).toBeLessThan(200);
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
      ['node:fs', ['fs>fs', 'default>fs']],
      ['./a.js', ['A>A', 'B>C']],
      ['../d', ['E>E', 'F>F', 'D>D', 'default>D']],
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

  it('imports through comments, and what TypeScript calls require', () => {
    const text = `import {
  a, // don't; a's first
  // of { b }
  b,
} from './a';
import c = require('./c');
`;
    expect(imported('typescript', text)).toEqual([
      ['./a', ['a>a', 'b>b']],
      ['./c', ['c>c', 'default>c']],
    ]);
  });

  it('declares what begins its body on a later line', () => {
    const text = `export class Cart
  extends Base<Item>
  implements Countable
{
  size = 0;
  add(item: Item): void { // Once.
    this.size++;
  }
}
class Other {} // Small.
export class Third { // A comment.
  f(): void {
    g();
  }
}
`;
    expect(declared('typescript', text)).toEqual({
      Cart: `export class Cart
  extends Base<Item>
  implements Countable
{
  size = 0;
  add(item: Item): void;
}
`,
      Other: 'class Other {} // Small.\n',
      Third: 'export class Third { // A comment.\n  f(): void;\n}\n',
    });
  });

  it('declares objects with their members, and says that a value goes on', () => {
    const text = `export const Direction = {
  Up: 'UP',
  nested: {
    a: 1,
  },
  turn(by: number) {
    return by;
  },
} as const;
export const schema = z.object({
${'  a: z.string(),\n'.repeat(12)}});
`;
    expect(declared('typescript', text)).toEqual({
      Direction: `export const Direction = {
  Up: 'UP',
  nested: { ... };
  turn(by: number);
} as const;
`,
      schema: 'export const schema = z.object({ ... });\n',
    });
  });

  it('declares nothing that it requires', () => {
    expect(declared('javascript', "const fs = require('fs');\nconst a = 1;\n")).toEqual({ a: 'const a = 1;\n' });
  });

  it('declares what a file exports by default under that name too', () => {
    const cart = 'class Cart {\n  size = 0;\n}\n';
    expect(declared('typescript', `${cart}export default Cart;\n`)).toEqual({ Cart: cart, default: cart });
    expect(declared('javascript', `${cart}module.exports = Cart;\n`)).toEqual({ Cart: cart, default: cart });
    const load = 'export default async function load(): Promise<void>;\n';
    const text = 'export default async function load(): Promise<void> {\n  return;\n}\n';
    expect(declared('typescript', text)).toEqual({ load, default: load });
    expect(
      imported('typescript', "import Basket, { a } from './cart';\nimport { default as Box } from './box';\n"),
    ).toEqual([
      ['./cart', ['a>a', 'Basket>Basket', 'default>Basket']],
      ['./box', ['default>Box']],
    ]);
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

  it('imports with continued lines', () => {
    const text = 'from a import b, \\\n    c\nimport d\n';
    expect(imported('python', text)).toEqual([
      ['a', ['b>b', 'c>c']],
      ['a.b', null],
      ['a.c', null],
      ['d', null],
    ]);
  });

  it('imports its own modules after many names of others', () => {
    const names = Array.from({ length: 60 }, (_, index) => `name${index}`).join(', ');
    const text = `from typing import ${names}\nfrom .own import mine\nfrom . import other\n`;
    const specifiers = importsOf(language('python'), text).map(({ specifier }) => specifier);
    expect(specifiers).toEqual(expect.arrayContaining(['.own', '.', '.other']));
  });

  it('resolves packages below the source folder of a part', () => {
    expect(targets('python', 'app.b', '/w/parts/app/tests/test_b.py')).toEqual(
      expect.arrayContaining(['/w/parts/app/src/app/b.py', '/w/parts/app/app/b.py']),
    );
  });

  it('declares variables of a module', () => {
    const text = `router = APIRouter(
    prefix="/a",
)
_cache: dict[str, int] = {}
STATES = {
    "a": 1,
}
if router == 1:
    pass
router.tags = []
`;
    expect(declared('python', text)).toEqual({
      router: 'router = APIRouter(\n    prefix="/a",\n)\n',
      _cache: '_cache: dict[str, int] = {}\n',
      STATES: 'STATES = {\n    "a": 1,\n}\n',
    });
  });

  it('declares classes without their docstrings, and with comments after their heads', () => {
    const text = `class Cart(Base):  # noqa: D101
    r'''A cart.

    It holds items: many of them.
    Args:
        name: a name
    '''
    name: str
    QUERY = '''
    select
    '''

    def total(self) -> int:  # type: ignore
        """Sums up.

        Slowly.
        """
        return 1

    def count(self):
        return 2
`;
    expect(declared('python', text)).toEqual({
      Cart: `class Cart(Base):  # noqa: D101
    name: str
    QUERY = '''
    def total(self) -> int: ...
    def count(self): ...
`,
    });
  });

  it('declares functions with many parameters, and says what is left out of data', () => {
    const parameters = Array.from({ length: 15 }, (_, index) => `    name${index}: int,\n`).join('');
    const text = `__all__ = ["load"]
def load(
${parameters}) -> int:
    return 1
NAMES = [
${'    "a",\n'.repeat(30)}]
SIGNS = {"(": 1, # One.
    "[": 2}
`;
    expect(declared('python', text)).toEqual({
      load: `def load(\n${parameters}) -> int: ...\n`,
      NAMES: 'NAMES = [...]\n',
      SIGNS: 'SIGNS = {"(": 1, ...}\n',
    });
  });
});
