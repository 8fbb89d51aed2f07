import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Parser } from 'web-tree-sitter';
import type { LoadedGrammar } from '../../../../server/src/syntax/grammar-loader.js';
import { ParsedDocument, TRIAL_CHARACTERS } from '../../../../server/src/syntax/parsed-document.js';
import { newGrammarLoader } from '../../../support/code/grammars.js';

/** A call of a parser: which one, what it was given, and whether it had a tree of the text before. */
interface Call {
  readonly parser: number;
  readonly text: string;
  readonly again: boolean;
}

let loaded: LoadedGrammar;
let calls: Call[];
let failures: unknown[];
let document: ParsedDocument;

beforeAll(async () => {
  const loader = newGrammarLoader();
  loaded = await new Promise<LoadedGrammar>((resolve) => {
    const take = (): void => {
      const known = loader.get('typescript', take);
      if (known !== null) resolve(known);
    };
    take();
  });
});

beforeEach(() => {
  calls = [];
  failures = [];
  let parsers = 0;
  const newParser = () => observed(loaded.newParser(), parsers++);
  document = new ParsedDocument({ ...loaded, newParser }, (error) => failures.push(error));
});

afterEach(() => document.close());

/** The parser itself, which also notes what it was called with. */
function observed(parser: Parser, number: number): Parser {
  const parse = parser.parse.bind(parser);
  parser.parse = (input, oldTree, options) => {
    let text = '';
    if (typeof input === 'function') {
      for (let part = input(0, { row: 0, column: 0 }); part; part = input(text.length, { row: 0, column: 0 })) {
        text += part;
      }
    }
    calls.push({ parser: number, text, again: oldTree !== null && oldTree !== undefined });
    return parse(input, oldTree, options);
  };
  return parser;
}

/** Parses to the end, however often the deadline interrupts. Returns how often it did. */
function parse(text: string, limitMs = 1_000): number {
  for (let rounds = 0; ; rounds++) if (document.parse(text, limitMs) || document.isClosed) return rounds;
}

const trials = (): readonly string[] => calls.filter(({ parser }) => parser === 1).map(({ text }) => text);

const LINE = 'export const sum = (a: number, b: number): number => a + b;\n';

describe('new text is tried in short parts before it is parsed behind the rest', () => {
  it('all of it but a short beginning, and each part once', () => {
    const text = LINE.repeat(500);
    parse(text);
    expect(failures).toEqual([]);
    expect(document.tree?.rootNode.endIndex).toBe(text.length);
    expect(Math.max(...trials().map(({ length }) => length))).toBe(TRIAL_CHARACTERS);
    expect(trials().join('')).toBe(text.slice(TRIAL_CHARACTERS * 2));
  });

  it('each step has at most as much new text as there is parsed text', () => {
    parse(LINE.repeat(500));
    const lengths = calls.filter(({ parser }) => parser === 0).map(({ text }) => text.length);
    expect(lengths[0]).toBeLessThanOrEqual(TRIAL_CHARACTERS);
    for (const [index, length] of lengths.slice(1).entries()) {
      expect(length).toBeLessThanOrEqual(2 * (lengths[index] ?? 0));
    }
  });

  it('a change that is as long as what it replaces, and the rest keeps its tree', () => {
    const [start, end] = [LINE.repeat(200), 'let last = 1;\n'];
    parse(`${start}${LINE.repeat(200)}${end}`);
    calls = [];
    const replacement = 'if (a) { b(); }\n'.repeat(750);
    expect(replacement.length).toBe(LINE.length * 200);
    const text = `${start}${replacement}${end}`;
    parse(text);
    expect(document.tree?.rootNode.text).toBe(text);
    expect(replacement).toContain(trials().join('').slice(0, 1_000));
    expect(trials().join('').length).toBeGreaterThan(replacement.length - 100);
    expect(calls.filter(({ parser }) => parser === 0).every(({ again }) => again)).toBe(true);
  });

  it('but what is typed is parsed at once', () => {
    parse(LINE.repeat(100));
    calls = [];
    parse(`${LINE.repeat(50)}typed();\n${LINE.repeat(50)}`);
    expect(calls).toHaveLength(1);
  });
});

it('a text in parts, interrupted at every chance, has the tree of a text in one', () => {
  const text = `class A {\n${'  b(c: number) { if (c > 0) { return [c]; } }\n'.repeat(400)}}\n`;
  expect(parse(text, 0)).toBeGreaterThan(5);
  const parser = loaded.newParser();
  const whole = parser.parse(text);
  expect(document.tree?.rootNode.toString()).toBe(whole?.rootNode.toString());
  whole?.delete();
  parser.delete();
});
