import { describe, expect, it } from 'vitest';
import { declared, imported, language, targets } from './read-language.js';

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

  it('imports packages of a module below the workspace, and none of the standard library', () => {
    const from = '/w/backend/cmd/server/main.go';
    expect(targets('go', 'example.com/shop/internal/store', from)).toContain('/w/backend/internal/store/');
    expect(targets('go', 'net/http', from)).toEqual([]);
    expect(targets('go', 'shop/store', from)).toEqual(['/w/store/']);
  });

  it('declares what stands in brackets', () => {
    const text = `const (
	Open State = iota
	Closed
)

var (
	// Not found.
	ErrMissing = errors.New("missing")
	left, right int
	client = &http.Client{
		Timeout: 1,
	}
)

type (
	ID   string
	Item struct {
		Name string
	}
)
`;
    const states = 'const (\n\tOpen State = iota\n\tClosed\n)\n';
    const types = 'type (\n\tID   string\n\tItem struct {\n\t\tName string\n\t}\n)\n';
    expect(declared('go', text)).toEqual({
      Open: states,
      Closed: states,
      ErrMissing: 'var ErrMissing = errors.New("missing")\n',
      left: 'var left, right int\n',
      right: 'var left, right int\n',
      client: 'var client = &http.Client\n',
      ID: types,
      Item: types,
    });
    const lines = language('go')
      .declarations(text.split('\n'))
      .map(({ line }) => line);
    expect(lines).toEqual([...lines].sort((left, right) => left - right));
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

  it('imports through comments', () => {
    expect(imported('rust', 'use crate::cart::{\n    Item, // An item.\n    Price,\n};\n')).toEqual([
      ['crate::cart', ['Item>Item']],
      ['crate::cart::Item', null],
      ['crate::cart', ['Price>Price']],
      ['crate::cart::Price', null],
    ]);
  });

  it('looks in crates of the workspace that are named like their folders', () => {
    expect(targets('rust', 'my_shop::cart', '/w/my-shop/src/main.rs')[0]).toBe('/w/my-shop/src/cart.rs');
    expect(targets('rust', 'my_shop', '/w/my-shop/tests/all.rs')).toContain('/w/my-shop/src/lib.rs');
    expect(targets('rust', 'my_core::item', '/w/crates/app/src/main.rs')).toContain('/w/crates/my-core/src/item.rs');
  });

  it('declares implementations with bounds', () => {
    const text = `impl<T> Cart<T>
where
    T: Into<Item>,
{
    pub fn add(&mut self, item: T) {
        self.items.push(item.into());
    }
}

impl<T: Into<String> + Clone, F: Fn(T) -> u8> Basket<T, F> {
    pub fn size(&self) -> usize {
        0
    }
}
`;
    const declarations = language('rust').declarations(text.split('\n'));
    expect(declarations.map((each) => each.name)).toEqual(['Cart', 'Basket']);
    expect(declarations[0]?.text).toBe(`impl<T> Cart<T>
where
    T: Into<Item>,
{
    pub fn add(&mut self, item: T);
}
`);
  });
});

describe('Java', () => {
  it('imports', () => {
    const text =
      'package shop.cart;\nimport shop.store.Item;\nimport shop.util.*;\nimport static shop.Limits.MAX;\nclass A {}\n';
    expect(imported('java', text)).toEqual([
      ['shop.cart:shop.store.Item', ['Item>Item']],
      ['shop.cart:shop.util', null],
      ['shop.cart:shop.Limits.MAX', ['MAX>MAX', 'Limits>MAX']],
      ['shop.cart:shop.cart', null],
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

  it('finds what tests import, and their own package, in the main sources', () => {
    const from = '/w/src/test/java/shop/cart/CartTest.java';
    expect(targets('java', 'shop.cart:shop.store.Item', from, ['Item'])).toContain(
      '/w/src/main/java/shop/store/Item.java',
    );
    expect(targets('java', 'shop.cart:shop.cart', from)).toEqual(['/w/src/main/java/shop/cart/']);
    expect(targets('java', 'shop.cart:shop.cart', '/w/src/main/java/shop/cart/Cart.java')).toEqual([]);
  });

  it('declares what begins its body on a later line', () => {
    const text = `public class Cart
        extends Base
        implements Countable {
    public int size() {
        return 0;
    }
}
`;
    expect(declared('java', text)).toEqual({
      Cart: `public class Cart
        extends Base
        implements Countable {
    public int size();
}
`,
    });
  });

  it('declares private fields where Lombok makes them visible', () => {
    const text = `@Data
public class Cart {
    private String name;
    private int total() {
        return 0;
    }
}
`;
    const declares = (imports: string) => declared('java', imports + text).Cart;
    expect(declares('import lombok.Data;\n')).toBe('public class Cart {\n    private String name;\n}\n');
    expect(declares('')).toBe('public class Cart {\n}\n');
  });
});
