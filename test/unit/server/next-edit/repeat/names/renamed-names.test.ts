import { describe, expect, it } from 'vitest';
import { RepeatedEdits } from '../../../../../../server/src/next-edit/repeat/repeated-edits.js';
import type { SearchedText } from '../../../../../../server/src/next-edit/repeat/searched-text.js';
import { LEAST_CHANCE } from '../../../../../../server/src/next-edit/repeat/site-odds.js';
import { searchedTexts } from '../searched-texts.js';

const searched = searchedTexts();

const OWN = 'file:///work/own.ts';

/** Renames the word in `«»` to `label`, and makes every edit that is offered then. */
async function renamed(marked: string, languageId: string, uri = OWN): Promise<{ own: string; edits: RepeatedEdits }> {
  const [before = '', name = '', behind = ''] = marked.split(/[«»]/);
  const text = `${before}label${behind}`;
  const [start, end] = [before.lastIndexOf('\n') + 1, behind.indexOf('\n')];
  const [head, tail] = [before.slice(start), behind.slice(0, end < 0 ? undefined : end)];
  const edit = { uri, line: before.split('\n').length, original: head + name + tail, updated: `${head}label${tail}` };
  const document = await searched(uri, languageId, text);
  const edits = new RepeatedEdits([edit], (each) => (each === uri ? document : null));
  return { own: made(edits, document), edits };
}

function made(edits: RepeatedEdits, document: SearchedText): string {
  return edits
    .in(document)
    .filter(({ chance }) => chance >= LEAST_CHANCE)
    .toReversed()
    .reduce((text, { start, end, newText }) => text.slice(0, start) + newText + text.slice(end), document.text);
}

/** A text of another document, after every edit that is offered there. */
async function other(text: string, languageId: string, uri: string, edits: RepeatedEdits): Promise<string> {
  return made(edits, await searched(uri, languageId, text));
}

describe('what was renamed where it is declared is offered', () => {
  it.each<[string, string, string, string]>([
    [
      'not as a property, a key or in text',
      'typescript',
      `const «name» = user.name;\nlog({ name: 1 }, name); // name\nlog('name', \`name \${name}\`, <p>user.name);\n`,
      `const label = user.name;\nlog({ name: 1 }, label); // name\nlog('name', \`name \${label}\`, <p>user.name);\n`,
    ],
    [
      'with the key, where it is one too',
      'typescript',
      'const «name» = 1;\nlog({ name, other: name });\nconst { a } = { name };\n',
      'const label = 1;\nlog({ name: label, other: label });\nconst { a } = { name: label };\n',
    ],
    [
      'in its function only',
      'typescript',
      'function one() {\n  const «name» = 1;\n  return () => name;\n}\nfunction two(name: string) {\n  return name;\n}\n',
      'function one() {\n  const label = 1;\n  return () => label;\n}\nfunction two(name: string) {\n  return name;\n}\n',
    ],
    [
      'not where an inner one has the name',
      'typescript',
      'const «name» = 1;\nlist.map((name) => name);\nfor (const name of list) log(name);\nconst [b] = f(name);\n{ const { name } = b; log(name); }\n',
      'const label = 1;\nlist.map((name) => name);\nfor (const name of list) log(name);\nconst [b] = f(label);\n{ const { name } = b; log(name); }\n',
    ],
    [
      'as what a method gives its own object, in that class only',
      'python',
      'class A:\n  def __init__(self):\n    self.«count» = 0\n  def add(self, n):\n    self.count = self.count + n.count\nclass B:\n  def get(self):\n    return self.count\n',
      'class A:\n  def __init__(self):\n    self.label = 0\n  def add(self, n):\n    self.label = self.label + n.count\nclass B:\n  def get(self):\n    return self.count\n',
    ],
    [
      'as what a constructor gives its object',
      'javascript',
      'class A {\n  constructor() {\n    this.«count» = 0;\n  }\n  add(n) {\n    if (this.count == 3) n.count = this.count;\n  }\n}\n',
      'class A {\n  constructor() {\n    this.label = 0;\n  }\n  add(n) {\n    if (this.label == 3) n.count = this.label;\n  }\n}\n',
    ],
    [
      'as a field of a class without types',
      'javascript',
      'class A {\n  «count» = 1;\n  add(n) {\n    this.count += n.count;\n  }\n}\nclass B {\n  count = 2;\n}\n',
      'class A {\n  label = 1;\n  add(n) {\n    this.label += n.count;\n  }\n}\nclass B {\n  count = 2;\n}\n',
    ],
    [
      'not for the copy of a line',
      'typescript',
      'const name = 1;\nconst «name» = 1;\nlog(name);\n',
      'const name = 1;\nconst label = 1;\nlog(name);\n',
    ],
    [
      'as a parameter, in a default too',
      'typescript',
      'const f = («name»: string, other = name) => {\n  return name + this.name;\n};\nlog(name);\n',
      'const f = (label: string, other = label) => {\n  return label + this.name;\n};\nlog(name);\n',
    ],
    [
      'as a method, on its own object',
      'typescript',
      'class A {\n  «name»() {}\n  other() {\n    this.name();\n    user.name();\n    name();\n  }\n}\nclass B {\n  other() {\n    this.name();\n  }\n}\n',
      'class A {\n  label() {}\n  other() {\n    this.label();\n    user.name();\n    name();\n  }\n}\nclass B {\n  other() {\n    this.name();\n  }\n}\n',
    ],
    [
      'as a private field, on any object of the class',
      'typescript',
      'class A {\n  #«name» = 1;\n  same(other: A) {\n    return other.#name === this.#name;\n  }\n}\n',
      'class A {\n  #label = 1;\n  same(other: A) {\n    return other.#label === this.#label;\n  }\n}\n',
    ],
    [
      'as an element and no attribute',
      'typescriptreact',
      'const «name» = 1;\nconst a = <p name={name}>name {name}</p>;\n',
      'const label = 1;\nconst a = <p name={label}>name {label}</p>;\n',
    ],
    [
      'not as a named argument',
      'python',
      'def «name»():\n    pass\n\nname()\nf(name=name, other=user.name)\n\ndef two(name):\n    return name\n\ndef three():\n    name = 1\n    return name\n',
      'def label():\n    pass\n\nlabel()\nf(name=label, other=user.name)\n\ndef two(name):\n    return name\n\ndef three():\n    name = 1\n    return name\n',
    ],
    [
      'as a method of Python, through self',
      'python',
      'class A:\n    def «name»(self):\n        return name()\n\n    def two(self, other):\n        return self.name() + other.name()\n',
      'class A:\n    def label(self):\n        return name()\n\n    def two(self, other):\n        return self.label() + other.name()\n',
    ],
    [
      'as a variable of Python, in its whole function',
      'python',
      'def one():\n    if True:\n        «name» = 1\n    return [name for other in name]\n\nprint(name)\n',
      'def one():\n    if True:\n        label = 1\n    return [label for other in label]\n\nprint(name)\n',
    ],
    [
      'in Go',
      'go',
      'package a\n\nfunc f() {\n\t«name» := 1\n\tg(name, user.name, T{name: name})\n}\n\nfunc h(name int) int { return name }\n',
      'package a\n\nfunc f() {\n\tlabel := 1\n\tg(label, user.name, T{name: label})\n}\n\nfunc h(name int) int { return name }\n',
    ],
    [
      'in Rust',
      'rust',
      'fn f() {\n    let «name» = 1;\n    g(name, user.name, T { name });\n    let h = |name| name;\n}\nfn h(name: u8) -> u8 { name }\n',
      'fn f() {\n    let label = 1;\n    g(label, user.name, T { name: label });\n    let h = |name| name;\n}\nfn h(name: u8) -> u8 { name }\n',
    ],
    [
      'in C++',
      'cpp',
      'int f(int a) {\n  int «name» = a;\n  g(name, user.name, list->name, a::name);\n  return [&](int name) { return name; }(name);\n}\nint h(int name) { return name; }\n',
      'int f(int a) {\n  int label = a;\n  g(label, user.name, list->name, a::name);\n  return [&](int name) { return name; }(label);\n}\nint h(int name) { return name; }\n',
    ],
    [
      'with all its signatures',
      'cpp',
      'int «name»(int a);\nint b = name(1);\nint name(int a) { return a; }\n',
      'int label(int a);\nint b = label(1);\nint label(int a) { return a; }\n',
    ],
    [
      'with its overloads',
      'typescript',
      'function name(a: string): void;\nfunction «name»(a: number): void;\nfunction name(a: unknown) {}\nname(1);\n',
      'function label(a: string): void;\nfunction label(a: number): void;\nfunction label(a: unknown) {}\nlabel(1);\n',
    ],
    [
      'not for the copy of a function',
      'typescript',
      'function name() {}\nfunction «name»() {}\nname();\n',
      'function name() {}\nfunction label() {}\nname();\n',
    ],
    [
      'in Java',
      'java',
      'class A {\n  int f(int a) {\n    int «name» = a;\n    return g(name, user.name, x -> name);\n  }\n  int h(int name) { return name; }\n}\n',
      'class A {\n  int f(int a) {\n    int label = a;\n    return g(label, user.name, x -> label);\n  }\n  int h(int name) { return name; }\n}\n',
    ],
    [
      'in its block, in a language without a grammar',
      'kotlin',
      'fun one() {\n    val «name» = 1\n    log(name, user.name) // name\n    log("name")\n}\nfun two() {\n    log(name)\n}\n',
      'fun one() {\n    val label = 1\n    log(label, user.name) // name\n    log("name")\n}\nfun two() {\n    log(name)\n}\n',
    ],
  ])('%s (%s)', async (_, languageId, before, after) => {
    expect((await renamed(before, languageId)).own).toBe(after);
  });

  it('after a chain of edits, as long as uses are left', async () => {
    const uses = 'log(name);\n'.repeat(20);
    const text = `const label = 1;\n${'log(label);\n'.repeat(12)}${uses}`;
    const document = await searched(OWN, 'typescript', text);
    const first = {
      uri: OWN,
      line: 1,
      original: 'const name = 1;\nlog(name);',
      updated: 'const label = 1;\nlog(name);',
    };
    const chain = Array.from({ length: 12 }, (_, index) => ({
      uri: OWN,
      line: index + 2,
      original: 'log(label);\nlog(name);\nlog(name);',
      updated: 'log(label);\nlog(label);\nlog(name);',
    }));
    const edits = new RepeatedEdits([first, ...chain], () => document);
    expect(made(edits, document)).toBe(text.replaceAll('name', 'label'));
  });
});

describe('in another file, what was renamed is offered', () => {
  it.each<[string, string, string, string, string]>([
    [
      'where it is imported',
      'typescript',
      'export const «name» = 1;\n',
      "import { name } from './own.js';\nlog(name, user.name, (name) => name);\n",
      "import { label } from './own.js';\nlog(label, user.name, (name) => name);\n",
    ],
    [
      'not where something else is imported',
      'typescript',
      'export const «name» = 1;\n',
      "import { name } from './others.js';\nlog(name);\n",
      "import { name } from './others.js';\nlog(name);\n",
    ],
    [
      'not where nothing is imported',
      'typescript',
      'export const «name» = 1;\n',
      'export const a = name;\n',
      'export const a = name;\n',
    ],
    [
      'not where it is declared in a function',
      'typescript',
      'export function f() {\n  const «name» = 1;\n}\n',
      "import { f, name } from './own';\nlog(name);\n",
      "import { f, name } from './own';\nlog(name);\n",
    ],
    ['in scripts, which share everything', 'javascript', 'const «name» = 1;\n', 'log(name);\n', 'log(label);\n'],
    [
      'in the same package',
      'go',
      'package a\n\nfunc «name»() {}\n',
      'package a\n\nvar b = name()\n',
      'package a\n\nvar b = label()\n',
    ],
    [
      'where the header is included',
      'cpp',
      'int «name»(int a);\n',
      '#include "own.ts"\nint name(int a) { return a; }\nint b = name(1);\nint c(int name) { return name; }\n',
      '#include "own.ts"\nint label(int a) { return a; }\nint b = label(1);\nint c(int name) { return name; }\n',
    ],
    [
      'where Python imports it',
      'python',
      'def «name»():\n    pass\n',
      'from .own import name\n\nname(user.name)\n',
      'from .own import label\n\nlabel(user.name)\n',
    ],
  ])('%s (%s)', async (_, languageId, declaring, text, expected) => {
    const [own, uri] =
      languageId === 'python' ? ['file:///work/own.py', 'file:///work/other.py'] : [OWN, 'file:///work/other.ts'];
    const { edits } = await renamed(declaring, languageId, own);
    expect(await other(text, languageId, uri, edits)).toBe(expected);
  });
});

describe('what was renamed in a cell of a notebook is offered', () => {
  const [own, cell] = ['vscode-notebook-cell:/work/a.ipynb#W0', 'vscode-notebook-cell:/work/a.ipynb#W1'];

  it('in the other cells, which are one program', async () => {
    const { edits } = await renamed('«name» = 1\nlog(name)\n', 'python', own);
    expect(await other('log(name, user.name)\n', 'python', cell, edits)).toBe('log(label, user.name)\n');
  });

  it('where the cell imports it', async () => {
    const { edits } = await renamed('import pandas as «name»\nname.read()\n', 'python', own);
    expect(await other('a = name.read()\n', 'python', cell, edits)).toBe('a = label.read()\n');
  });

  it.each([
    ['another notebook', 'python', 'vscode-notebook-cell:/work/b.ipynb#W1'],
    ['a file', 'python', 'file:///work/a.ipynb'],
    ['a cell of another language', 'javascript', cell],
  ])('not in %s', async (_, languageId, uri) => {
    const { edits } = await renamed('«name» = 1\nlog(name)\n', 'python', own);
    expect(await other('log(name)\n', languageId, uri, edits)).toBe('log(name)\n');
  });
});

describe('a use of a variable that was changed', () => {
  const itemCount = 'const itemCount = 1;\n';
  const uses = 'log(itemCount);\nlog(itemCount);\n';

  async function offered(changed: number, before = itemCount, uri = OWN): Promise<string> {
    const text = before + 'log(itemsCount);\n'.repeat(changed) + uses;
    const document = await searched(OWN, 'typescript', text);
    const edits = Array.from({ length: changed }, (_, index) => ({
      uri: OWN,
      line: index + 2,
      original: 'log(itemCount);',
      updated: 'log(itemsCount);',
    }));
    const repeated = new RepeatedEdits(edits, (each) => (each === OWN ? document : null));
    return uri === OWN
      ? made(repeated, document).slice(-uses.length - 2)
      : made(repeated, await searched(uri, 'typescript', uses));
  }

  it('says nothing of its other uses, until it is changed once more', async () => {
    expect(await offered(1)).toContain(uses);
    expect(await offered(2)).toContain(uses.replaceAll('itemCount', 'itemsCount'));
  });

  it('says nothing of other files, where the name means something else', async () => {
    expect(await offered(2, itemCount, 'file:///work/other.ts')).toBe(uses);
  });

  it('is repeated in all files where its own does not declare it', async () => {
    const imported = "import { itemCount } from './items.js';\n";
    expect(await offered(1, imported)).toContain(uses.replaceAll('itemCount', 'itemsCount'));
    expect(await offered(1, imported, 'file:///work/other.ts')).toBe(uses.replaceAll('itemCount', 'itemsCount'));
  });
});

it.each([
  ['the line is a copy', '    self.count = 0\n    self.«count» = 0\n'],
  ['its copy follows', '    self.«count» = 0\n    self.count = 0\n'],
  ['the new name is a member', '    self.«count» = 0\n  def add(self):\n    self.label += self.count\n'],
  ['it is a later use', '    self.count = 0\n  def set(self):\n    self.«count» = 1\n    print(self.count)\n'],
  ['it is no assignment', '    print(self.«count»)\n  def get(self):\n    return self.count\n'],
])('a member keeps its other uses where %s', async (_, body) => {
  const marked = `class A:\n  def __init__(self):\n${body}`;
  const text = marked.replace(/«.*»/, 'label');
  const edit = { uri: OWN, line: 1, original: marked.replaceAll(/[«»]/g, ''), updated: text };
  const document = await searched(OWN, 'python', text);
  expect(made(new RepeatedEdits([edit], () => document), document)).toBe(text);
});
