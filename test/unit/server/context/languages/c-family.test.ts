import { describe, expect, it } from 'vitest';
import { declared, imported, language, targets } from './read-language.js';

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

  it('looks for none of the compiler', () => {
    expect(targets('cpp', 'vector', '/w/src/a.cpp')).toEqual([]);
  });

  it('looks for headers in the folders of a part too', () => {
    expect(targets('cpp', 'core/item.h', '/w/parts/core/src/sub/a.cpp')).toEqual(
      expect.arrayContaining(['/w/parts/core/include/core/item.h', '/w/parts/core/src/core/item.h', '/w/core/item.h']),
    );
  });

  it('declares types by the names that others use', () => {
    const text = `#ifndef ITEM_H
#define ITEM_H
typedef struct {
    int count;
} item_t;

typedef struct node {
    struct node *next;
} __attribute__((packed)) node_t;

typedef struct { int x; int y; } point_t;
typedef struct hidden hidden_t;
typedef int (*compare_fn)(const void *left, const void *right);
typedef unsigned char bytes_t[16];
struct Last final : Item {
    int a;
};
`;
    expect(declared('cpp', text)).toEqual({
      item_t: 'typedef struct {\n    int count;\n} item_t;\n',
      node: 'typedef struct node {\n    struct node *next;\n} __attribute__((packed)) node_t;\n',
      node_t: 'typedef struct node {\n    struct node *next;\n} __attribute__((packed)) node_t;\n',
      point_t: 'typedef struct { int x; int y; } point_t;\n',
      hidden_t: 'typedef struct hidden hidden_t;\n',
      compare_fn: 'typedef int (*compare_fn)(const void *left, const void *right);\n',
      bytes_t: 'typedef unsigned char bytes_t[16];\n',
      Last: 'struct Last final : Item {\n    int a;\n};\n',
    });
  });

  it('declares what has its bracket on the next line, and conditions of the preprocessor in a body', () => {
    const text = `template <typename T>
class Cart
    : public Base
{
    Q_OBJECT
public slots:
    void add(const T &item);
#ifdef DEBUG
    void dump();
#endif
};

struct item
{
    int count;
};

struct item
find(int id)
{
    return items[id];
}
`;
    expect(declared('cpp', text)).toEqual({
      Cart: `template <typename T>
class Cart
    : public Base
{
    Q_OBJECT
public slots:
    void add(const T &item);
#ifdef DEBUG
    void dump();
#endif
};
`,
      item: 'struct item\n{\n    int count;\n};\n',
    });
  });

  it('declares constants and variables', () => {
    const text = `static constexpr int kLimit = 3;
extern const char *const NAMES[];
static const struct option OPTIONS[] = {
    { "help", 0 },
};
static int count(void);
`;
    expect(declared('cpp', text)).toEqual({
      kLimit: 'static constexpr int kLimit = 3;\n',
      NAMES: 'extern const char *const NAMES[];\n',
      OPTIONS: 'static const struct option OPTIONS[] = { ... };\n',
      count: 'static int count(void);\n',
    });
  });

  it('declares structures with functions by their signatures, and no keyword', () => {
    const text = `struct trie {
    trie() : size(0) {
        clear();
    }
    int size;
};
inline void __attribute__((always_inline)) store(int value) {}
static void (*handler)(int);
`;
    expect(declared('cpp', text)).toEqual({
      trie: 'struct trie {\n    trie() : size(0);\n    int size;\n};\n',
    });
  });

  it('declares what is indented in namespaces', () => {
    const text = `namespace shop
{
    namespace cart::detail {

        class Cart {
        public:
            int total() const {
                return 1;
            }
#ifdef DEBUG
            void dump();
#endif
        };
    }

    int count(const Cart &cart);
}

namespace flat {
int size();
}
int last();
`;
    const declarations = language('cpp').declarations(text.split('\n'));
    expect(Object.fromEntries(declarations.map((each) => [each.name, [each.line, each.text]]))).toEqual({
      Cart: [4, 'class Cart {\npublic:\n    int total() const;\n#ifdef DEBUG\n    void dump();\n#endif\n};\n'],
      count: [15, 'int count(const Cart &cart);\n'],
      size: [19, 'int size();\n'],
      last: [21, 'int last();\n'],
    });
  });
});
