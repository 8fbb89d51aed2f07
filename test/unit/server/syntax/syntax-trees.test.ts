import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GrammarLoader } from '../../../../server/src/syntax/grammar-loader.js';
import { LexicalSyntax } from '../../../../server/src/syntax/lexical/lexical-syntax.js';
import { SyntaxTrees } from '../../../../server/src/syntax/syntax-trees.js';
import { cursorFixture } from '../../../support/code/cursor-fixture.js';
import { newGrammarLoader, syntaxTrees } from '../../../support/code/grammars.js';
import { parsedSyntax } from '../../../support/code/parsed-syntax.js';
import { SILENT } from '../scripted-engine.js';

let trees: SyntaxTrees;
let warnings: string[];

beforeEach(() => {
  warnings = [];
  trees = syntaxTrees({ ...SILENT, warn: (line) => warnings.push(line) });
});

afterEach(() => trees.dispose());

const SAMPLES: readonly (readonly [languageId: string, text: string])[] = [
  ['typescript', 'export const a: number = 1;\n'],
  ['typescriptreact', 'const a = <b>{c}</b>;\n'],
  ['javascript', 'const a = 1;\n'],
  ['javascriptreact', 'const a = <b />;\n'],
  ['python', 'def f(a):\n    return a\n'],
  ['go', 'package a\n\nfunc f() {}\n'],
  ['rust', 'fn f() -> u8 { 1 }\n'],
  ['c', 'int f(void) { return 1; }\n'],
  ['cpp', 'template <class T> T f() { return T{}; }\n'],
  ['java', 'class A { int a() { return 1; } }\n'],
  ['csharp', 'class A { int B() => 1; }\n'],
  ['ruby', 'def f\n  1\nend\n'],
  ['php', '<?php\nfunction f() { return 1; }\n'],
  ['json', '{ "a": [1] }\n'],
  ['jsonc', '// a\n{ "a": [1] }\n'],
  ['html', '<p class="a">b</p>\n'],
  ['css', 'a { color: red; }\n'],
  ['shellscript', 'if [ -f a ]; then echo b; fi\n'],
];

describe('a name', () => {
  it('is what the grammar sees where it stands, and unknown without one', async () => {
    const text = 'class A { b = c; }\n// d\nimport { e } from "f";\n';
    const syntax = await parsedSyntax(trees, { uri: 'file:///a', languageId: 'typescript', text });
    const at = (name: string) => syntax.nameAt(text.indexOf(name));
    expect(at('A')).toMatchObject({ as: 'type', inClass: null, isImport: false, declaredIn: expect.any(Number) });
    expect(at('b =')).toMatchObject({ as: 'member', inClass: expect.any(Number), declaredIn: expect.any(Number) });
    expect(at('c;')).toMatchObject({ as: 'variable', inClass: expect.any(Number), declaredIn: null });
    expect(at('e }')).toMatchObject({ isImport: true, declaredIn: expect.any(Number) });
    expect([at('d\n'), at('{'), at('f"')]).toEqual(['none', 'none', 'none']);
    expect(new LexicalSyntax('typescript', text).nameAt()).toBeNull();
  });

  it('is unknown once the text has changed', async () => {
    const document = { uri: 'file:///a', languageId: 'typescript', text: 'const a = 1;\n' };
    const syntax = await parsedSyntax(trees, document);
    await parsedSyntax(trees, { ...document, text: 'const ab = 1;\n' });
    expect(syntax.nameAt(6)).toBeNull();
  });
});

describe('a grammar', () => {
  it.each(SAMPLES)('for %s parses its language', async (languageId, text) => {
    const syntax = await parsedSyntax(trees, { uri: 'file:///a', languageId, text });
    const end = text.length;
    expect(syntax.errorsWith({ start: end, end, text: '' })).toEqual({ before: 0, after: 0 });
    expect(warnings).toEqual([]);
  });

  it('never delays an answer: until it is loaded, the lexical scan answers', () => {
    const fresh = new SyntaxTrees(newGrammarLoader(), SILENT);
    const syntax = fresh.at({ uri: 'file:///a', languageId: 'typescript', text: 'f("a' });
    expect(syntax).toBeInstanceOf(LexicalSyntax);
    expect(syntax.scopeAt(4)).toBe('string');
    expect(syntax.blockAt(2)).toMatchObject({ kind: 'list', start: 1 });
  });

  it('is not needed for a language without one', () => {
    expect(trees.at({ uri: 'file:///a', languageId: 'fortran', text: '' })).toBeInstanceOf(LexicalSyntax);
    expect(trees.openDocuments).toBe(0);
  });
});

describe('the scope', () => {
  const scopeAt = async (languageId: string, marked: string) => {
    const { text, offset } = cursorFixture(marked);
    return (await parsedSyntax(trees, { uri: 'file:///a', languageId, text })).scopeAt(offset);
  };

  it.each([
    ['typescript', 'const a = 1;║\n', 'code'],
    ['typescript', '// a║\nb;\n', 'comment'],
    ['typescript', '// a\n║b;\n', 'code'],
    ['typescript', '// a║', 'comment'],
    ['typescript', '/* a ║ */', 'comment'],
    ['typescript', '/* a */║', 'code'],
    ['typescript', 'a = "b║c";\n', 'string'],
    ['typescript', 'a = "bc"║;\n', 'code'],
    ['typescript', 'a = ║"bc";\n', 'code'],
    ['typescript', 'a = "║";\n', 'string'],
    ['typescript', `a = \`b\${c║}\`;\n`, 'code'],
    ['typescript', `a = \`b║\${c}\`;\n`, 'string'],
    ['typescript', 'f("a║', 'string'],
    ['python', 'a = f"b{c║}"\n', 'code'],
    ['python', '"""\na║\n"""\n', 'string'],
    ['python', 'def f():\n    """a b║\n    c(1)\n', 'string'],
    ['python', 'def f():\n    """a b║"\n    c(1)\n', 'string'],
    ['python', 'def f():\n    """a\n\n    b c.║\n', 'string'],
    ['python', 'def f():\n    a = "b║\n    c(1)\n', 'string'],
    ['python', 'def f(:\n    a = "b" + ║\n    c(1)\n', 'code'],
    ['python', "# don't\ndef f(:\n    a ║\n", 'code'],
    ['typescriptreact', "const a = <p>don't {║}</p>;\nb(;\n", 'code'],
    ['php', "<p>don't</p>\n<?php\nf(;\n$a = ║;\n", 'code'],
    ['python', 'a = 1  # b║\n', 'comment'],
    ['rust', '/// a║\nfn f() {}\n', 'comment'],
    ['rust', '/// a\n║fn f() {}\n', 'code'],
    ['rust', '/// a\n║', 'code'],
    ['rust', '/** a */║\n', 'code'],
    ['php', '<?php\n$a = <<<EOT\nb║\nEOT;\n', 'string'],
    ['php', '<?php\n$a = <<<EOT\nb\nEOT;║\n', 'code'],
    ['ruby', 'a = <<~SQL\n  b║\nSQL\n', 'string'],
    ['ruby', 'a = <<~SQL\n  b\nSQL\n║\n', 'code'],
    ['shellscript', 'cat <<EOF\nb║\nEOF\n', 'string'],
    ['shellscript', 'cat <<EOF\nb\nEOF\n║\n', 'code'],
    ['html', '<p class="a║">b</p>\n', 'string'],
    ['html', '<p class="a"║>b</p>\n', 'code'],
    ['go', "package a\n\nvar b = 'c║'\n", 'string'],
    ['go', 'package a\n\n// b║\n', 'comment'],
    ['html', '<!-- a║ --><p>b</p>', 'comment'],
    ['css', 'a { /* b║ */ }', 'comment'],
    ['ruby', 'a = "b#{c║}"\n', 'code'],
    ['shellscript', 'echo "a║"\n', 'string'],
  ])('in %s %j is %s', async (languageId, marked, scope) => {
    expect(await scopeAt(languageId, marked)).toBe(scope);
  });
});

describe('the block', () => {
  const blockAt = async (languageId: string, marked: string) => {
    const { text, offset } = cursorFixture(marked);
    const block = (await parsedSyntax(trees, { uri: 'file:///a', languageId, text })).blockAt(offset);
    return block === null ? null : [block.kind, block.empty, text.slice(block.start, block.end)];
  };

  it.each([
    ['typescript', 'function f() {\n  ║\n}\n', ['body', true, '{\n  \n}']],
    ['typescript', 'function f() {\n  // a\n  ║\n}\n', ['body', true, '{\n  // a\n  \n}']],
    ['typescript', 'function f() {\n  a();\n  ║\n}\n', ['body', false, '{\n  a();\n  \n}']],
    ['typescript', 'class A {\n  ║\n}\n', ['body', true, '{\n  \n}']],
    ['typescript', 'f(║);\n', ['list', true, '()']],
    ['typescript', 'f(a, [b, ║c]);\n', ['list', false, '[b, c]']],
    ['typescript', 'a = {\n  b: 1,\n  ║\n};\n', ['list', false, '{\n  b: 1,\n  \n}']],
    ['typescript', '║f();\n', null],
    ['go', 'package a\n\nfunc f() {\n\t║\n}\n', ['body', true, '{\n\t\n}']],
    ['rust', 'impl A {\n    ║\n}\n', ['body', true, '{\n    \n}']],
    ['java', 'class A {\n  void b() {\n    ║\n  }\n}\n', ['body', true, '{\n    \n  }']],
    ['python', 'f(a, ║)\n', ['list', false, '(a, )']],
  ])('in %s %j is %j', async (languageId, marked, block) => {
    expect(await blockAt(languageId, marked)).toEqual(block);
  });
});

describe('the comparison of errors', () => {
  const errors = async (languageId: string, marked: string, text: string) => {
    const fixture = cursorFixture(marked);
    const syntax = await parsedSyntax(trees, { uri: 'file:///a', languageId, text: fixture.text });
    return syntax.errorsWith({ start: fixture.offset, end: fixture.offset, text });
  };

  it('sees whether a change repairs, breaks or leaves the syntax', async () => {
    expect(await errors('typescript', 'const a = ║;\n', '1')).toMatchObject({ after: 0 });
    expect(await errors('typescript', 'const a = 1;\n║', 'f(;\n')).toMatchObject({ before: 0 });
    expect((await errors('typescript', 'const a = 1;\n║', 'f(;\n'))?.after).toBeGreaterThan(0);
    expect(await errors('python', 'def f():\n    ║\n', 'return 1')).toEqual({ before: 0, after: 0 });
  });

  it('leaves the document unchanged', async () => {
    const document = { uri: 'file:///a', languageId: 'typescript', text: 'f(a);\n' };
    const syntax = await parsedSyntax(trees, document);
    const change = { start: 0, end: 0, text: 'if (' };
    const first = syntax.errorsWith(change);
    expect(first?.after).toBeGreaterThan(0);
    expect(syntax.errorsWith(change)).toEqual(first);
    expect(syntax.blockAt(3)).toMatchObject({ start: 1, end: 4 });
  });
});

describe('documents', () => {
  it('are parsed incrementally', async () => {
    const document = { uri: 'file:///a', languageId: 'typescript', text: 'f("é\u{1f600}", {\r\n\ta: 1 });\n' };
    await parsedSyntax(trees, document);
    const edits = [
      [0, 0, 'const x = '],
      [10, 11, 'g'],
      [14, 14, '\u{1f600}'],
      [20, 24, '[\n'],
      [0, 5, ''],
      [3, 3, '// '],
    ] as const;
    for (const [start, end, inserted] of edits) {
      document.text = document.text.slice(0, start) + inserted + document.text.slice(end);
      const fresh = await parsedSyntax(trees, { ...document, uri: 'file:///fresh' });
      const incremental = await parsedSyntax(trees, document);
      for (let offset = 0; offset <= document.text.length; offset++) {
        expect(incremental.scopeAt(offset)).toBe(fresh.scopeAt(offset));
        expect(incremental.blockAt(offset)).toEqual(fresh.blockAt(offset));
      }
    }
  });

  it('of an earlier text answer by the scan, not from a freed tree', async () => {
    const document = { uri: 'file:///a', languageId: 'typescript', text: 'f("a");\n' };
    const earlier = await parsedSyntax(trees, document);
    await parsedSyntax(trees, { ...document, text: 'g(1);\n' });
    expect(earlier.errorsWith({ start: 0, end: 0, text: '' })).toBeNull();
    expect(earlier.scopeAt(4)).toBe('string');
    trees.close(document.uri);
    expect(earlier.blockAt(3)).toMatchObject({ start: 1 });
  });

  it('are freed when they are closed, and the oldest when there are many', async () => {
    for (let index = 0; index < 20; index++) {
      await parsedSyntax(trees, { uri: `file:///${index}`, languageId: 'json', text: '[]' });
    }
    expect(trees.openDocuments).toBe(12);
    trees.close('file:///19');
    expect(trees.openDocuments).toBe(11);
    trees.close('file:///19');
    trees.close('file:///never-opened');
    expect(trees.openDocuments).toBe(11);
  });

  it('get no tree if they are huge', async () => {
    await parsedSyntax(trees, { uri: 'file:///a', languageId: 'json', text: '[]' });
    const text = `[${'1,'.repeat(300_000)}1]`;
    expect(trees.at({ uri: 'file:///b', languageId: 'json', text })).toBeInstanceOf(LexicalSyntax);
  });

  it('are parsed in the background if they are long', async () => {
    await parsedSyntax(trees, { uri: 'file:///a', languageId: 'typescript', text: ';' });
    const text = 'export function f(a: number, b: string): string { return a + b; }\n'.repeat(5000);
    const document = { uri: 'file:///b', languageId: 'typescript', text };
    expect(trees.at(document)).toBeInstanceOf(LexicalSyntax);
    // Typing meanwhile does not restart the parse for ever.
    const typed = { ...document, text: `${text}const x = 1;\n` };
    expect((await parsedSyntax(trees, typed)).scopeAt(text.length)).toBe('code');
  }, 60_000);
});

describe('hostile text', () => {
  /** tree-sitter-ruby 0.23.1 traps where this many heredocs are open. */
  const heredocs = (count: number): string =>
    `x = ${Array.from({ length: count }, (_, index) => `<<~EOF${index}`).join(' + ')}\n`;

  it('that traps a grammar costs that document its grammar, and no other', async () => {
    const neighbour = { uri: 'file:///a.ts', languageId: 'typescript', text: 'f("a");\n' };
    const before = await parsedSyntax(trees, neighbour);
    const trap = { uri: 'file:///trap.rb', languageId: 'ruby', text: heredocs(1_200) };
    for (let attempt = 0; attempt < 50 && warnings.length === 0; attempt++) {
      expect(trees.at(trap).scopeAt(2)).toBe('code');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(warnings).toEqual([
      expect.stringMatching(/^The ruby grammar failed in file:\/\/\/trap\.rb, so indentation/),
    ]);

    // What belonged to the discarded runtime answers by the scan.
    expect(before.scopeAt(4)).toBe('string');
    expect(before.errorsWith({ start: 0, end: 0, text: '' })).toBeNull();
    expect(trees.at(trap)).toBeInstanceOf(LexicalSyntax);
    expect((await parsedSyntax(trees, neighbour)).scopeAt(4)).toBe('string');
    const other = { uri: 'file:///b.rb', languageId: 'ruby', text: heredocs(10) };
    expect((await parsedSyntax(trees, other)).scopeAt(2)).toBe('code');

    // Typing in it, or opening it again, does not try again.
    trees.close(trap.uri);
    trees.prepare({ ...trap, text: heredocs(1_300) });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(trees.at(trap)).toBeInstanceOf(LexicalSyntax);
    expect(warnings).toHaveLength(1);
  });

  it('that a grammar parses too slowly is given up at its first slow part', async () => {
    const neighbour = { uri: 'file:///a.ts', languageId: 'typescript', text: 'f("a");\n' };
    const before = await parsedSyntax(trees, neighbour);
    const document = { uri: 'file:///slow.java', languageId: 'java', text: 'a<'.repeat(200_000) };
    for (let attempt = 0; attempt < 2_000 && warnings.length === 0; attempt++) {
      expect(trees.at(document)).toBeInstanceOf(LexicalSyntax);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(warnings).toEqual([
      expect.stringMatching(/^The java grammar failed in file:\/\/\/slow\.java.*takes too long/),
    ]);
    // The runtime is sound, and the others keep it.
    expect(before.errorsWith({ start: 0, end: 0, text: '' })).toEqual({ before: 0, after: 0 });
    expect(trees.at(document)).toBeInstanceOf(LexicalSyntax);
  }, 60_000);

  it('that is slow at the end of a large file is given up before the parser gets the whole', async () => {
    const method = '  int a(int b) { if (b > 0) { return b; } return 0; }\n';
    const text = `class A {\n${method.repeat(4_000)}}\n${'a<'.repeat(10_000)}`;
    await parsedSyntax(trees, { uri: 'file:///a.java', languageId: 'java', text: 'class A {}\n' });
    for (let attempt = 0; attempt < 4_000 && warnings.length === 0; attempt++) {
      expect(trees.at({ uri: 'file:///slow.java', languageId: 'java', text })).toBeInstanceOf(LexicalSyntax);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(warnings).toEqual([expect.stringMatching(/slow\.java.*takes too long/)]);
  }, 60_000);

  it.each([
    ['json', '['.repeat(100_000)],
    ['typescript', 'f('.repeat(50_000)],
    ['typescript', `${'{'.repeat(20_000)}${'}'.repeat(20_000)}`],
    ['python', `${'('.repeat(50_000)}`],
    ['json', `[${'1,'.repeat(100_000)}1]`],
    ['typescript', '/*'.repeat(100_000)],
    ['typescript', `"${'\\ud800\0'.repeat(10_000)}"`],
    ['html', '<a>'.repeat(50_000)],
    ['css', 'a{'.repeat(50_000)],
    ['shellscript', '$('.repeat(20_000)],
  ])('in %s is asked about in short time, however deep (%#)', async (languageId, text) => {
    const document = { uri: 'file:///deep', languageId, text };
    trees.prepare(document);
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (const offset of [0, 1, text.length >> 1, text.length]) {
      const syntax = trees.at(document);
      expect(['code', 'comment', 'string']).toContain(syntax.scopeAt(offset));
      expect(() => syntax.blockAt(offset)).not.toThrow();
      expect(() => syntax.errorsWith({ start: offset, end: offset, text: 'x' })).not.toThrow();
    }
  });
});

it('does without a grammar that cannot be loaded, and logs it once', async () => {
  const log = { ...SILENT, warn: (line: string) => warnings.push(line) };
  const lost = new SyntaxTrees(new GrammarLoader('/nowhere', log), log);
  for (let attempt = 0; attempt < 3; attempt++) {
    lost.at({ uri: 'file:///a', languageId: 'go', text: '' });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^The go grammar cannot be loaded.*ENOENT/);
});
