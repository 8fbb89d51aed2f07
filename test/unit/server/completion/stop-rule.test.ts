import { describe, expect, it } from 'vitest';
import { chooseStopRule, findStop } from '../../../../server/src/completion/stop-rule.js';
import { cursorContext } from '../../../support/cursor-fixture.js';

/** What is kept when `generated` arrives at the cursor in one piece; undefined when it may still go on. */
function kept(document: string, generated: string, ended = false): string | undefined {
  const stop = findStop(generated, chooseStopRule(cursorContext(document)), ended);
  return stop === null ? undefined : generated.slice(0, stop);
}

describe('one line', () => {
  it('ends at the line end when text follows the cursor on its line', () => {
    expect(kept('f(║)', 'a, b\nc')).toBe('a, b');
    expect(kept('f(║)', 'a, b')).toBeUndefined();
  });

  it('finishes the statement that was typed, and only that', () => {
    expect(kept('const a = ║\n', '1;\nconst b = 2;\n')).toBe('1;');
    expect(kept('done();║\n', '\nmore();\n')).toBe('');
  });
});

describe('a block', () => {
  it('goes on to the bracket that closes it', () => {
    expect(kept('function f() {║', '\n  return 1;\n}\n\nf();')).toBe('\n  return 1;\n}');
    expect(kept('if (a) {║', '\n  b();\n} else {\n  c();\n}\nd();')).toBe('\n  b();\n} else {\n  c();\n}');
    expect(kept('call(║', '\n  a,\n  b,\n);\nnext();')).toBe('\n  a,\n  b,\n);');
  });

  it('does not decide before a line is complete', () => {
    expect(kept('function f() {║', '\n  return 1;\n}')).toBeUndefined();
    expect(kept('function f() {║', '\n  return 1;\n  ')).toBeUndefined();
  });

  it('ends where the indentation ends in Python', () => {
    expect(kept('def f(a):║', '\n    b = a\n    return b\nprint(f(1))\n')).toBe('\n    b = a\n    return b');
    expect(kept('def f(║', 'a):\n    return a\nx = 1\n')).toBe('a):\n    return a');
  });

  it('ends at a blank line', () => {
    expect(kept('class A {║', '\n  a = 1;\n\n  b = 2;\n}\n')).toBe('\n  a = 1;');
  });
});

describe('a line of its own', () => {
  it('may hold several statements, up to the end of the enclosing block', () => {
    expect(kept('if (a) {\n  ║\n}', 'b();\n  c();\n}\nd();')).toBe('b();\n  c();');
    expect(kept('def f():\n    ║\n', 'a = 1\n    return a\nf()\n')).toBe('a = 1\n    return a');
  });

  it('stops at the line that already follows', () => {
    expect(kept('  ║\n  return a;\n', 'a = 1;\n  return a;\n}')).toBe('a = 1;');
    expect(kept('  ║\n  return a;\n', 'a = 1;\n  ret')).toBeUndefined();
  });

  it('knows the last line to be complete when the model has ended', () => {
    expect(kept('{\n  ║\n}', 'a();\n}')).toBeUndefined();
    expect(kept('{\n  ║\n}', 'a();\n}', true)).toBe('a();');
    expect(kept('{\n  ║\n}', 'a();', true)).toBeUndefined();
  });

  it('stops after a closing bracket', () => {
    expect(kept('function f() {\n  a();\n║', '}\nfunction g() {\n}\n')).toBe('}');
  });

  it('is never endless', () => {
    expect(kept('║', 'a();\n'.repeat(50))?.split('\n')).toHaveLength(12);
  });

  it('understands tabs', () => {
    expect(kept('{\n\t║\n}', 'a();\n\tb();\n}\n')).toBe('a();\n\tb();');
  });
});
