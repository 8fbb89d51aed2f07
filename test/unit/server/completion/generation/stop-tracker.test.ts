import { describe, expect, it } from 'vitest';
import { chooseStopRule } from '../../../../../server/src/completion/generation/stop-rule.js';
import { StopTracker } from '../../../../../server/src/completion/generation/stop-tracker.js';
import { cursorContext } from '../../../../support/code/cursor-fixture.js';
import { cursorSyntax } from '../../../../support/code/cursor-syntax.js';

interface Options {
  readonly languageId?: string;
  readonly ended?: boolean;
}

function tracker(document: string, languageId = 'typescript'): StopTracker {
  return new StopTracker(chooseStopRule(cursorContext(document), cursorSyntax(document, languageId)));
}

/** The text up to the stop when `generated` arrives at the cursor; undefined if it may go on. */
function kept(document: string, generated: string, { languageId, ended = false }: Options = {}): string | undefined {
  const atOnce = tracker(document, languageId);
  atOnce.push(generated);
  const stop = ended ? atOnce.end() : atOnce.stop;
  expectSameInPieces(document, generated, { languageId, ended }, stop);
  return stop === null ? undefined : generated.slice(0, stop);
}

/** Checks that a text ends at the same place however it arrives, and that its showable part only grows. */
function expectSameInPieces(document: string, generated: string, options: Options, stop: number | null): void {
  const inPieces = tracker(document, options.languageId);
  let shown = 0;
  for (const character of generated) {
    inPieces.push(character);
    expect(inPieces.showable).toBeGreaterThanOrEqual(Math.min(shown, inPieces.stop ?? shown));
    shown = inPieces.showable;
    if (inPieces.stop !== null) break;
  }
  expect(options.ended ? inPieces.end() : inPieces.stop).toBe(stop);
}

describe('one line', () => {
  it('ends at the line end when text follows the cursor on its line', () => {
    expect(kept('f(║)', 'a, b\nc')).toBe('a, b');
    expect(kept('f(║)', 'a, b')).toBeUndefined();
    expect(kept('x = ║ + b', '{\n  a\n}')).toBe('{');
  });

  it('finishes the statement that was typed, and only that', () => {
    expect(kept('const a = ║\n', '1;\nconst b = 2;\n')).toBe('1;');
    expect(kept('done();║\n', '\nmore();\n')).toBe('');
  });

  it('is enough in comments and strings', () => {
    expect(kept('// See ║\n', 'f() {\n// and g\n')).toBe('f() {');
    expect(kept("const a = 'b║\n", " {\n  c';\n")).toBe(' {');
    expect(kept('"""\nText ║\n"""\n', 'of:\nmore\n', { languageId: 'python' })).toBe('of:');
  });

  it('ends where it meets the rest of the line', () => {
    expect(kept('call(║, second)', 'first, second)')).toBe('first, second)');
    expect(kept('call(║);', 'a);')).toBeUndefined();
  });
});

describe('a block', () => {
  it('continues to the bracket that closes it', () => {
    expect(kept('function f() {║', '\n  return 1;\n}\n\nf();')).toBe('\n  return 1;\n}');
    expect(kept('if (a) {║', '\n  b();\n} else {\n  c();\n}\nd();')).toBe('\n  b();\n} else {\n  c();\n}');
    expect(kept('call(║', '\n  a,\n  b,\n);\nnext();')).toBe('\n  a,\n  b,\n);');
    expect(kept('call(first,║', '\n  a);\nnext();')).toBe('\n  a);');
  });

  it('may be opened inside brackets that the editor has closed', () => {
    expect(kept('a.map(║)', '(b) => {\n  c(b);\n})\nd();')).toBe('(b) => {\n  c(b);\n})');
    expect(kept('a.map(║);', '(b) => c(b)\nd();')).toBe('(b) => c(b)');
    expect(kept('f({║})', '\n  a,\n})\nd')).toBe('\n  a,\n})');
  });

  it('is opened by code, not by a comment behind it', () => {
    expect(kept('║', 'a(); // see {\nb();\n', { ended: true })).toBe('a(); // see {\nb();');
    expect(kept('x = ║', '1; // see {\n  b();\n')).toBe('1; // see {');
    expect(kept('if (a) ║', '{ // b\n  c();\n}\nd();')).toBe('{ // b\n  c();\n}');
  });

  it('does not decide before a line is complete', () => {
    expect(kept('function f() {║', '\n  return 1;\n}')).toBeUndefined();
    expect(kept('function f() {║', '\n  return 1;\n  ')).toBeUndefined();
  });

  it('ends where the indentation ends in Python', () => {
    const python = { languageId: 'python' };
    expect(kept('def f(a):║', '\n    b = a\n    return b\nprint(f(1))\n', python)).toBe('\n    b = a\n    return b');
    expect(kept('def f(║', 'a):\n    return a\nx = 1\n', python)).toBe('a):\n    return a');
    expect(kept('if a:║', '\n    b()\nelse:\n    c()\nd()\n', python)).toBe('\n    b()\nelse:\n    c()');
    expect(kept('if a:  # why║', '\n    b()\nc()\n', python)).toBe('');
  });

  it('ends at its last word where blocks have one', () => {
    expect(kept('def f║\n', '(a)\n  a\nend\n\nf', { languageId: 'ruby' })).toBe('(a)\n  a\nend');
    expect(kept('a.each ║\n', 'do |b|\n  c b\nend\nd\n', { languageId: 'ruby' })).toBe('do |b|\n  c b\nend');
    expect(kept('if a; ║\n', 'then\n  b\nfi\nc\n', { languageId: 'shellscript' })).toBe('then\n  b\nfi');
    expect(kept('║\n', 'end = 1;\nstart = 2;\n\n')).toBe('end = 1;\nstart = 2;');
    const choice = ' a\n  b\nelse\n  c\nend';
    expect(kept('if║\n', `${choice}\nd\n`, { languageId: 'ruby' })).toBe(choice);
    const shell = ' a; then\n  b\nelse\n  c\nfi';
    expect(kept('if║\n', `${shell}\nd\n`, { languageId: 'shellscript' })).toBe(shell);
  });

  it('ends at a blank line', () => {
    expect(kept('class A {║', '\n  a = 1;\n\n  b = 2;\n}\n')).toBe('\n  a = 1;');
  });

  it('is not ended by the content of a multiline string', () => {
    const text = 'f(`\nSELECT a\n\nFROM b\n`);';
    expect(kept('if (a) {\n  ║\n}', `${text}\n}\n`)).toBe(text);
  });
});

describe('a decorator', () => {
  const java = { languageId: 'java' };

  it('comes with what it decorates, also before another declaration', () => {
    const method = '@Override\n  public int size() {\n    return n;\n  }';
    expect(kept('{\n  ║\n  void a() {\n  }\n}', `${method}\n  void b() {\n  }\n`, java)).toBe(method);
    const property = '@property\n    def a(self):\n        return 1';
    const python = { languageId: 'python' };
    expect(kept('class A:\n    ║\n    def b(self):\n', `${property}\n    def c(self):\n`, python)).toBe(property);
    const field = '@Input()\n  @Required()\n  name = 1;';
    expect(kept('{\n  ║\n  b = 2;\n}', `${field}\n  c = 3;\n`)).toBe(field);
    const test = '[Test]\n  public void A() {\n  }';
    expect(kept('{\n  ║\n  int b;\n}', `${test}\n  int c;\n`, { languageId: 'csharp' })).toBe(test);
    const derived = '#[derive(Debug)]\nstruct A;';
    expect(kept('║\nstruct B;\n', `${derived}\nstruct C;\n`, { languageId: 'rust' })).toBe(derived);
  });

  it('may take several lines', () => {
    const component = "@Component({\n  selector: 'a',\n})\nexport class A {\n}";
    expect(kept('║\nf();\n', `${component}\ng();\n`)).toBe(component);
    expect(kept('║\n', `${component}\ng();\n`)).toBe(component);
  });

  it('stays alone where what it decorates follows', () => {
    expect(kept('{\n  ║\n  void a() {\n  }\n}', '@Override\n  void a() {\n  }\n', java)).toBe('@Override');
    expect(kept('{\n  ║\n  void a() {\n  }\n}', '@Override\n}\n', java)).toBe('@Override');
    expect(kept('{\n  ║\n  void a() {\n  }\n}', '@Override\n\n  void b() {', java)).toBe('@Override');
    expect(kept('{\n  ║\n  void a() {\n  }\n}', '@Override\n      void b();', java)).toBe('@Override');
  });
});

describe('a bracket on a line of its own', () => {
  const csharp = { languageId: 'csharp' };
  const before = 'class A\n{\n  void B()\n  {\n  }\n\n';

  it('opens the block of the line before, where the document has such brackets', () => {
    const body = '\n  {\n    return 1;\n  }';
    expect(kept(`${before}  int C()║\n}\n`, `${body}\n\n  int D()\n`, csharp)).toBe(body);
    expect(kept(`${before}  ║\n  int D() => 1;\n}\n`, `int C()${body}\n  int E()\n`, csharp)).toBe(`int C()${body}`);
    expect(kept(`${before}  public int C║\n}\n`, ' { get; }\n  int D;\n', csharp)).toBe(' { get; }');
    expect(kept(`${before}  public int C║\n}\n`, '\n  { get; }\n  int D;\n', csharp)).toBe('\n  { get; }');
  });

  it('may stand behind a clause', () => {
    const text = ' (a)\n  {\n    b();\n  }';
    expect(kept(`${before}  if║\n}\n`, `${text}\n  c();\n`, csharp)).toBe(text);
    const bodies = ' (a) {\n    b();\n  }\n  else\n';
    expect(kept('  if║\n', `${bodies}  {\n    c();\n  }\n  d();\n`, csharp)).toBe(' (a) {\n    b();\n  }');
  });

  it('is not waited for longer than a line', () => {
    expect(kept(`${before}  ║\n}\n`, 'b(\n    a\n  )\n  c();\n', csharp)).toBe('b(\n    a\n  )');
    expect(kept(`${before}  int C()║\n}\n`, '\n  int D', csharp)).toBe('');
    expect(kept(`${before}  b = a║\n}\n`, '.c\n    .d();\n', csharp)).toBe('.c');
    expect(kept(`${before}  b = a║\n}\n`, ';\n  {\n', csharp)).toBe(';');
    expect(kept('int c()║\n', '\n{\n  return 1;\n}\n', { languageId: 'c' })).toBe('');
  });
});

describe('a tag', () => {
  const tsx = { languageId: 'typescriptreact' };

  it('may have its attributes on lines of their own', () => {
    const input = '<Input\n    value={a}\n    onChange={() => b()}\n  />';
    expect(kept('  ║\n  <Button />\n', `${input}\n  <Other />\n`, tsx)).toBe(input);
    expect(kept('  <Input║\n', '\n    value={a}\n  />\n  <Other />\n', tsx)).toBe('\n    value={a}\n  />');
    expect(kept('  ║\n  <b />\n', '<A\n    b\n  >\n    {c}\n  </A>\n  <d />\n', tsx)).toBe(
      '<A\n    b\n  >\n    {c}\n  </A>',
    );
  });

  it('continues to its end', () => {
    expect(kept('  ║\n  <b />\n', '<ul>\n    <li>a</li>\n  </ul>\n  <p>c</p>\n', tsx)).toBe(
      '<ul>\n    <li>a</li>\n  </ul>',
    );
    expect(kept('  <a b={() => c()}║\n', '>\n    d\n  </a>\n  <e />\n', tsx)).toBe('>\n    d\n  </a>');
    expect(kept('  ║\n  <b />\n', '<>\n    <A />\n  </>\n  <C />\n', tsx)).toBe('<>\n    <A />\n  </>');
    expect(kept('<div║\n', ' id="a">\n  <p>b</p>\n</div>\n<p>', { languageId: 'html' })).toBe(
      ' id="a">\n  <p>b</p>\n</div>',
    );
  });

  it('may be complete at once', () => {
    expect(kept('  ║\n  <b />\n', '<A />\n  <C />\n', tsx)).toBe('<A />');
    expect(kept('  ║\n  <b />\n', '<p>a</p>\n  <p>c</p>\n', tsx)).toBe('<p>a</p>');
    expect(kept('<br║\n', '>\n  text\n', { languageId: 'html' })).toBe('>');
    expect(kept('if (a <║\n', 'b)\n  c();\n', { languageId: 'c' })).toBe('b)');
    expect(kept('const a = new Map<║\n', 'string>\n  ()\n', tsx)).toBe('string>');
  });
});

describe('a line of its own', () => {
  it('may contain several statements, up to the end of the enclosing block', () => {
    expect(kept('if (a) {\n  ║\n}', 'b();\n  c();\n}\nd();')).toBe('b();\n  c();');
    expect(kept('def f():\n    ║\n', 'a = 1\n    return a\nf()\n', { languageId: 'python' })).toBe(
      'a = 1\n    return a',
    );
    expect(kept('f(\n    ║\n)', 'a,\n    b)\nc')).toBe('a,');
  });

  it('contains one between two others', () => {
    expect(kept('  ║\n  return a;\n', 'a = 1;\n  b = 2;\n')).toBe('a = 1;');
    expect(kept('  ║\n  return a;\n', 'if (a) {\n    b();\n  }\n  c();\n')).toBe('if (a) {\n    b();\n  }');
  });

  it('stops at the lines that already follow', () => {
    expect(kept('  ║\n\n  return a;\n', 'a = 1;\n  return a;\n}')).toBe('a = 1;');
    expect(kept('  ║\n\n  return a;\n', 'a = 1;\n  ret')).toBeUndefined();
    expect(kept('  ║\n\n  b();\n  return a;\n', 'a = 1;\n  return a;\n}')).toBe('a = 1;');
  });

  it('goes on where a block has the same lines as the next one', () => {
    const follows = "\n\ntest('b', () => {\n  const app = start();\n  stop(app);\n});\n";
    const text = ' => {\n  const app = start();\n  run(app);\n});\n';
    expect(kept(`test('a', ()║)${follows}`, text)).toBe(text.trimEnd());
    const other = '\n\ndef g():\n    app = start()\n    stop(app)\n';
    const body = '\n    app = start()\n    run(app)\n\n';
    expect(kept(`def f():║${other}`, body, { languageId: 'python' })).toBe(body.trimEnd());
    expect(kept('{\n  ║\n}\n\nf() {\n  return a;\n}', 'a = b();\n  return a;\n}\n')).toBe('a = b();\n  return a;');
    // These are the block's own.
    expect(kept('function f(║\n  // First.\n  start();\n}', 'a) {\n  start();\n}\n')).toBe('a) {');
  });

  it('treats the last line as complete when the model has ended', () => {
    expect(kept('{\n  ║\n}', 'a();\n}')).toBeUndefined();
    expect(kept('{\n  ║\n}', 'a();\n}', { ended: true })).toBe('a();');
    expect(kept('{\n  ║\n\n  b();\n}', 'a();\n  b();', { ended: true })).toBe('a();');
    expect(kept('{\n  ║\n}', 'a();', { ended: true })).toBeUndefined();
  });

  it('stops after a closing bracket', () => {
    expect(kept('function f() {\n  a();\n║', '}\nfunction g() {\n}\n')).toBe('}');
  });

  it('understands tabs', () => {
    expect(kept('{\n\t║\n}', 'a();\n\tb();\n}\n')).toBe('a();\n\tb();');
  });
});

describe('a text without end', () => {
  it('stops after some lines', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `step${index}();\n`).join('');
    expect(kept('║', lines)?.split('\n')).toHaveLength(12);
  });

  it('stops at repeated lines', () => {
    expect(kept('║', 'again();\n'.repeat(50))).toBe('again();');
    expect(kept('║', 'first();\nsecond();\n'.repeat(50))).toBe('first();\nsecond();');
  });

  it('stops at a loop within a line', () => {
    expect(kept('x = [║', '1, 2, one, '.repeat(20))).toBe('');
    expect(kept('f(║', `\n  a,\n  ${'b, '.repeat(30)}`)).toBe('\n  a,');
    expect(kept('// ║', `${'-'.repeat(70)}\n`)).toBe('-'.repeat(70));
  });
});

describe('a growing text', () => {
  const shown = (document: string, text: string): string => {
    const growing = tracker(document);
    growing.push(text);
    return text.slice(0, growing.showable);
  };

  it('is shown in whole words, then in whole lines', () => {
    expect(shown('const ║', 'total = compu')).toBe('total =');
    expect(shown('const ║', 'tot')).toBe('');
    expect(shown('// ║', 'यह नमस्')).toBe('यह');
    expect(shown('if (a) {║', '\n  first();\n  sec')).toBe('\n  first();');
  });

  it('holds back closers that may already follow the cursor', () => {
    expect(shown('f(║);', 'a, g(b))')).toBe('a, g(b');
    expect(shown('x = f(║', 'a, g(b))')).toBe('a, g(b))');
  });
});
