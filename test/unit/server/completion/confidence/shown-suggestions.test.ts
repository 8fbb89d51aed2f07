import { beforeEach, describe, expect, it } from 'vitest';
import type { Eagerness } from '../../../../../server/protocol/index.js';
import { LearnedConfidence } from '../../../../../server/src/completion/confidence/learned-confidence.js';
import { ShownSuggestions } from '../../../../../server/src/completion/confidence/shown-suggestions.js';
import { askedAt, type Question, type ReadyModel } from '../../../../../server/src/completion/request/question.js';
import type { CachedText } from '../../../../../server/src/completion/request/suggestion-cache.js';
import { fimTemplateFor } from '../../../../../server/src/prompt/fim-template.js';
import { JsonFile } from '../../../../../server/src/util/files/json-file.js';
import { LEXICAL } from '../../../../support/code/cursor-syntax.js';
import { syntaxTrees } from '../../../../support/code/grammars.js';
import { parsedSyntax } from '../../../../support/code/parsed-syntax.js';
import { FACTS, SILENT } from '../../scripted-engine.js';
import { type Asked, requestAt, URI } from '../completion-fixture.js';

const template = fimTemplateFor(FACTS);
if (template === null) throw new Error('the scripted model completes code');
const MODEL: ReadyModel = { facts: FACTS, template, promptTokens: 1024 };
const OTHER_MODEL: ReadyModel = { ...MODEL, facts: { ...FACTS, name: 'Other' } };

let confidence: LearnedConfidence;
let shown: ShownSuggestions;

beforeEach(() => {
  confidence = new LearnedConfidence(new JsonFile(null, SILENT));
  shown = new ShownSuggestions(confidence, LEXICAL);
});

const at = (marked: string, asked: Asked = {}): Question => askedAt(requestAt(marked, asked), 'model');

/** A text that the engine has said, each part with its probability; null where it does not tell. */
function said(parts: readonly (readonly [text: string, probability: number])[], id = 1): CachedText {
  let end = 0;
  const pieces = parts.map(([text, probability]) => {
    end += text.length;
    return { end, logProbability: Math.log(probability) };
  });
  return { id, text: parts.map(([text]) => text).join(''), finished: true, pieces };
}

function textAt(question: Question, text: CachedText, eagerness: Eagerness = 'balanced', model = MODEL): string | null {
  const outcome = shown.choose([text], question, model, eagerness, false);
  shown.showed(question, outcome);
  return outcome.kind === 'suggestions' ? (outcome.suggestions[0]?.text ?? null) : null;
}

const SURE = said([
  ['firstName', 0.99],
  ['.trim();', 0.99],
]);
const UNLIKELY = said([
  ['firstName', 0.001],
  ['.trim();', 0.9],
]);

describe('a text is shown', () => {
  it('as far as it passes the gate', () => {
    expect(textAt(at('return ║\n'), SURE)).toBe('firstName.trim();');
    expect(textAt(at('yield ║\n'), UNLIKELY)).toBeNull();
  });

  it('whole where the user asks, and where nobody knows how sure it is', () => {
    expect(textAt(at('return ║\n', { trigger: 'invoked' }), UNLIKELY)).toBe('firstName.trim();');
    expect(textAt(at('yield ║\n'), { ...UNLIKELY, pieces: null })).toBe('firstName.trim();');
  });

  it('with its model, its chance and what was left out', () => {
    const text = said([
      ['firstName', 0.99],
      ['.improbable();', 0.01],
    ]);
    const outcome = shown.choose([text], at('return ║\n'), OTHER_MODEL, 'balanced', false);
    expect(outcome).toMatchObject({ suggestions: [{ text: 'firstName', leftOut: 14, model: 'Other' }] });
  });

  it("with a line for the closer of its block where that is the editor's", () => {
    const body = said([['\n  first();\n  second();', 0.99]]);
    expect(textAt(at('if (a) {║}\n'), body)).toBe('\n  first();\n  second();\n');
    expect(textAt(at('  f(() => {║});\n'), said([['\n    first();', 0.99]]))).toBe('\n    first();\n  ');
    const whole = shown.choose([said([['\n  first();\n});', 0.99]])], at('f(() => {║});\n'), MODEL, 'balanced', false);
    expect(whole).toMatchObject({ suggestions: [{ text: '\n  first();\n});', start: 9, end: 12 }] });
    expect(textAt(at('if (a) {║\n'), body)).toBe('\n  first();\n  second();');
  });

  it('before the closer of a line above, in place of one that the editor added', async () => {
    const trees = syntaxTrees();
    const ofGrammar = new ShownSuggestions(confidence, trees);
    const text = said([['left) + right', 0.99]]);
    const shownAt = async (marked: string) => {
      const question = at(marked);
      await parsedSyntax(trees, question.request.document);
      return ofGrammar.choose([text], question, MODEL, 'balanced', false);
    };
    expect(await shownAt('total(\n  sum(║)\n')).toMatchObject({ suggestions: [{ start: 13, end: 13 }] });
    expect(await shownAt('total(\n  sum(║)\n)\n')).toMatchObject({ suggestions: [{ start: 13, end: 14 }] });
    trees.dispose();
  });

  it('or hidden, with the reason', () => {
    const short = said([['ab;', 0.7]]);
    const hidden = (text: CachedText) => shown.choose([text], at('return ║\n'), MODEL, 'balanced', false);
    expect(hidden(UNLIKELY)).toMatchObject({ kind: 'none', reason: 'unsure', tooShort: false });
    expect(hidden(short)).toMatchObject({ kind: 'none', reason: 'unsure', tooShort: true });
  });

  it('as what its own model taught moves the chance', () => {
    const chance = (model: ReadyModel) => {
      const outcome = shown.choose([SURE], at('return ║\n'), model, 'balanced', false);
      return outcome.kind === 'suggestions' ? (outcome.suggestions[0]?.chance ?? 0) : 0;
    };
    const before = chance(MODEL);
    for (let round = 0; round < 50; round += 1) confidence.learn('Other', 0.5, false);
    expect(chance(MODEL)).toBe(before);
    expect(chance(OTHER_MODEL)).toBeLessThan(before);
  });
});

describe('what stands', () => {
  beforeEach(() => {
    expect(textAt(at('return ║\n'), SURE)).toBe('firstName.trim();');
  });

  /** What the engine says at the next key agrees, but would not be new there. */
  const doubtful = (text: string) => said([[text, 0.001]], 2);

  it('stays while the user types along it', () => {
    expect(textAt(at('return f║\n'), doubtful('irstName.trim();'))).toBe('irstName.trim();');
    expect(textAt(at('return fi║\n'), doubtful('rstName.trim();'))).toBe('rstName.trim();');
  });

  it('grows where the model is sure of more', () => {
    const more = said(
      [
        ['irstName.trim();', 0.99],
        ['\nreturn 1;', 0.99],
      ],
      2,
    );
    expect(textAt(at('return f║\n'), more)).toBe('irstName.trim();\nreturn 1;');
  });

  it.each([
    ['the engine says something else', 'return f║\n', 'oo.trim().bar();'],
    ['the user typed something else', 'return l║\n', 'firstName.trim();'],
    ['the text behind it is another', 'return f║ + 1\n', 'irstName.trim();'],
  ])('goes where %s', (_where, marked, text) => {
    expect(textAt(at(marked), doubtful(text))).toBeNull();
  });

  it('goes with an answer that shows nothing, and not with a cancelled request', () => {
    shown.showed(at('return f║\n'), { kind: 'none', reason: 'cancelled' });
    expect(textAt(at('return f║\n'), doubtful('irstName.trim();'))).toBe('irstName.trim();');
    shown.showed(at('return f║\n'), { kind: 'none', reason: 'insideWord' });
    expect(textAt(at('return f║\n'), doubtful('irstName.trim();'))).toBeNull();
  });

  it('is what a change inserts that accepts it, or a part of it', () => {
    const change = (inserted: string, offset = 7) => ({ offset, removed: '', inserted });
    expect(shown.isSuggested(URI, change('firstName.trim();'))).toBe(true);
    expect(shown.isSuggested(URI, change('Name', 12))).toBe(true);
    expect(shown.isSuggested(URI, change('other'))).toBe(false);
    expect(shown.isSuggested(URI, change('irst', 7))).toBe(false);
    expect(shown.isSuggested('file:///b.ts', change('firstName.trim();'))).toBe(false);
  });
});

describe('inside a word, a key counts as fast', () => {
  /** Worth a look where the user stops, and not while a word is typed fast. */
  const doubtful = said([
    ['irstNameOf', 0.16],
    ['(left);', 0.1],
  ]);
  const isShown = () => shown.choose([doubtful], at('return f║\n'), MODEL, 'balanced', false).kind === 'suggestions';

  it.each([
    [
      'soon after another',
      [
        [1, 0],
        [2, 100],
      ],
      false,
    ],
    [
      'long after another',
      [
        [1, 0],
        [2, 900],
      ],
      true,
    ],
    ['the first of all', [[1, 0]], true],
    [
      'though the editor asks again and again',
      [
        [1, 0],
        [2, 100],
        [2, 900],
        [2, 1_800],
      ],
      false,
    ],
    [
      'not because the editor asks again',
      [
        [1, 0],
        [2, 900],
        [2, 905],
      ],
      true,
    ],
  ] as const)('%s', (_when, keys, expected) => {
    for (const [version, now] of keys) shown.keyTyped(URI, version, now);
    expect(isShown()).toBe(expected);
  });

  it('in its own document only', () => {
    shown.keyTyped('file:///b.ts', 1, 0);
    shown.keyTyped(URI, 1, 100);
    expect(isShown()).toBe(true);
  });
});
