import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../server/protocol/index.js';
import type { FileFacts } from '../../../../server/src/next-edit/file-facts.js';
import type { RelatedSnippet } from '../../../../server/src/next-edit/formats/rewrite-format.js';
import { ModelEdits, type RewrittenDocument } from '../../../../server/src/next-edit/model-edits.js';
import type { ErrorCounts, SyntaxSource, TextChange } from '../../../../server/src/syntax/syntax.js';
import { FACTS } from '../scripted-engine.js';
import { RewritingEngine } from './rewriting-engine.js';

const URI = 'file:///work/src/a.ts';
const TEXT = Array.from({ length: 30 }, (_, index) => `sum(value${index});\n`).join('');
const EDIT = { number: 0, uri: URI, line: 5, original: 'sum(value4);', updated: 'sum(value4, rate);' };
const EDITED = TEXT.replace(EDIT.original, EDIT.updated);
const repeat = (region: string) => region.replace('sum(value6);', 'sum(value6, rate);');
const never = new AbortController().signal;

let hidden: readonly string[];
let errors: (change: TextChange) => ErrorCounts | null;
let definitions: readonly RelatedSnippet[];

beforeEach(() => {
  hidden = [];
  definitions = [];
  errors = () => null;
});

function found(
  engine: RewritingEngine,
  { text = EDITED, others = [] as RewrittenDocument[], edits = [EDIT], signal = never, onBattery = false } = {},
) {
  const files: FileFacts = {
    nameOf: (uri) => uri.slice('file:///work/'.length),
    admits: (uri) => Promise.resolve(!hidden.includes(uri)),
    mayShow: (uri) => Promise.resolve(!hidden.includes(uri)),
    definitionsFor: () => definitions,
  };
  const syntax = { at: () => ({ errorsWith: (change: TextChange) => errors(change) }) } as unknown as SyntaxSource;
  const offset = text.indexOf('rate') + 'rate'.length;
  const document = { uri: URI, languageId: 'typescript', text, offset };
  const settings = () => DEFAULT_SETTINGS;
  const model = new ModelEdits(engine, files, syntax, settings, () => Promise.resolve(onBattery));
  return model.find(document, others, edits, signal);
}

/** There three regions are asked. */
function onGpu(engine: RewritingEngine): RewritingEngine {
  if (engine.facts?.kind === 'local') engine.facts = { ...engine.facts, backend: 'Metal' };
  return engine;
}

function promptOf(engine: RewritingEngine): string {
  return engine.requests[0]?.prompt.map((part) => (part === 95 ? '<|file_sep|>' : String(part))).join('') ?? '';
}

describe('what the model rewrites', () => {
  it('is a change of the document', async () => {
    const at = EDITED.indexOf('value6') + 'value6'.length;
    expect(await found(new RewritingEngine(repeat))).toEqual({
      kind: 'edit',
      uri: URI,
      start: at,
      end: at,
      newText: ', rate',
    });
  });

  it('is not asked on battery', async () => {
    const engine = new RewritingEngine(repeat);
    expect(await found(engine, { onBattery: true })).toEqual({ kind: 'none', reason: 'onBattery' });
    expect(engine.requests).toEqual([]);
  });

  it('has the line ends of the document', async () => {
    const text = EDITED.replaceAll('\n', '\r\n');
    const insert = (region: string) => repeat(region).replace('sum(value7);', 'sum(value7, rate);');
    const edit = await found(new RewritingEngine(insert), { text });
    if (edit.kind !== 'edit') throw new Error(edit.reason);
    expect(text.slice(0, edit.start) + edit.newText + text.slice(edit.end)).toBe(
      insert(EDITED).replaceAll('\n', '\r\n'),
    );
  });

  it('is asked with the lines as they were and as they are, and with the edit', async () => {
    const engine = new RewritingEngine((region) => region);
    await found(engine);
    const prompt = promptOf(engine);
    expect(prompt).toContain('<|file_sep|>src/a.ts.diff\noriginal:\nsum(value4);\nupdated:\nsum(value4, rate);\n');
    const [, original = '', current = ''] =
      /original\/src([\s\S]*)current\/src([\s\S]*)updated\/src/.exec(prompt) ?? [];
    expect(original).toContain('sum(value4);');
    expect(current).toContain('sum(value4, rate);');
  });
});

describe('nothing is found', () => {
  it.each([
    ['without a model', 'noModel', (engine: RewritingEngine) => Object.assign(engine, { facts: null })],
    [
      'by a model that does not know how',
      'noFormat',
      (engine: RewritingEngine) => Object.assign(engine, { facts: FACTS }),
    ],
    [
      'by a model on a remote server, which tells no probabilities',
      'remoteModel',
      (engine: RewritingEngine) =>
        Object.assign(engine, { facts: { ...engine.facts, capabilities: { ...FACTS.capabilities, branches: false } } }),
    ],
  ])('%s', async (_, reason, prepare) => {
    const engine = new RewritingEngine(repeat);
    prepare(engine);
    expect(await found(engine)).toEqual({ kind: 'none', reason });
    expect(engine.requests).toEqual([]);
  });

  it('in a language that the model does not know', async () => {
    const engine = new RewritingEngine(repeat);
    if (engine.facts !== null) engine.facts = { ...engine.facts, languages: ['python'] };
    expect(await found(engine)).toEqual({ kind: 'none', reason: 'languageUnknown' });
    expect(engine.requests).toEqual([]);
  });

  it('where nothing suggests it: new lines are what completions are for', async () => {
    const added = { ...EDIT, original: 'sum(value3);\nsum(value4);', updated: 'sum(value3);\nlog(1);\nsum(value4);' };
    const engine = new RewritingEngine(repeat);
    expect(await found(engine, { edits: [added] })).toEqual({ kind: 'none', reason: 'nothingSuggests' });
    expect(engine.requests).toEqual([]);
  });

  it('by the starter model where no change could be repeated', async () => {
    const changed = { ...EDIT, original: 'sum(value4);', updated: 'log(value4, rate).then(print);' };
    const text = TEXT.replaceAll('sum', 'f').replace('f(value4);', changed.updated);
    const asked = async (isStarter: boolean) => {
      const engine = new RewritingEngine((region) => region);
      if (engine.facts !== null) engine.facts = { ...engine.facts, isStarter };
      return found(engine, { edits: [changed], text });
    };
    expect(await asked(true)).toEqual({ kind: 'none', reason: 'nothingSuggests' });
    expect(await asked(false)).toEqual({ kind: 'none', reason: 'unchanged' });
  });

  it('where another model was loaded meanwhile', async () => {
    const engine = new RewritingEngine(repeat);
    const tokenize = engine.tokenize.bind(engine);
    engine.tokenize = (...asked) => {
      if (engine.facts !== null) engine.facts = { ...engine.facts };
      return tokenize(...asked);
    };
    expect(await found(engine)).toEqual({ kind: 'none', reason: 'modelChanged' });
  });

  it('where the model was unloaded in its last answer', async () => {
    const ended = async (unloadedIn: number) => {
      const engine = new RewritingEngine((region) => region.replace('sum(value6);', 'other(value6, rate'));
      const generate = engine.generate.bind(engine);
      engine.generate = async (...asked) => {
        const result = await generate(...asked);
        if (engine.requests.length === unloadedIn) engine.facts = null;
        return { ...result, stopReason: 'aborted' };
      };
      return { edit: await found(engine), requests: engine.requests.length };
    };
    const { edit, requests } = await ended(0);
    expect(edit).toEqual({ kind: 'none', reason: 'unfinished' });
    expect((await ended(requests)).edit).toEqual({ kind: 'none', reason: 'modelChanged' });
  });

  it('where another model was loaded between two rounds, which is not asked to go on', async () => {
    // Departs, meets the old lines again, and would go on in a second round.
    const insert = (region: string) => region.replace('sum(value6);', 'sum(value6, rate);');
    const rounds = async (replaces: boolean) => {
      const engine = new RewritingEngine(insert);
      const generate = engine.generate.bind(engine);
      engine.generate = async (...asked) => {
        const result = await generate(...asked);
        if (replaces && engine.facts !== null) engine.facts = { ...engine.facts };
        return result;
      };
      return { edit: await found(onGpu(engine)), rounds: engine.requests.length };
    };
    const whole = await rounds(false);
    expect(whole).toMatchObject({ edit: { kind: 'edit' } });
    expect(whole.rounds).toBeGreaterThan(1);
    expect(await rounds(true)).toEqual({ edit: { kind: 'none', reason: 'modelChanged' }, rounds: 1 });
  });

  it('where the model leaves the lines as they are', async () => {
    expect(await found(new RewritingEngine((region) => region))).toEqual({ kind: 'none', reason: 'unchanged' });
  });

  it('that adds a syntax error to the document', async () => {
    errors = ({ text }) => ({ before: 0, after: text === ', rate' ? 1 : 0 });
    expect(await found(new RewritingEngine(repeat))).toEqual({ kind: 'none', reason: 'newSyntaxError' });
  });

  it('of an edit that is not there, or of lines that no context holds', async () => {
    expect(await found(new RewritingEngine(repeat), { edits: [] })).toEqual({ kind: 'none', reason: 'noQuestion' });
    const long = `${EDITED}// ${'x'.repeat(20_000)}\n`.replaceAll(';\n', '; ');
    expect(await found(new RewritingEngine(repeat), { text: long })).toMatchObject({ reason: 'noQuestion' });
  });

  it('once a key came', async () => {
    const abort = new AbortController();
    abort.abort();
    const engine = new RewritingEngine(repeat);
    expect(await found(engine, { signal: abort.signal })).toEqual({ kind: 'none', reason: 'cancelled' });
    expect(engine.requests).toEqual([]);
  });
});

describe('edits of other files', () => {
  const other = { number: 0, uri: 'file:///work/src/other.ts', line: 1, original: 'secret = 1', updated: 'secret = 2' };

  it('are shown', async () => {
    const engine = new RewritingEngine((region) => region);
    await found(engine, { edits: [other, EDIT] });
    expect(promptOf(engine)).toContain('src/other.ts.diff\noriginal:\nsecret = 1\n');
  });

  it('are left out where the file may not be shown', async () => {
    hidden = [other.uri];
    const engine = new RewritingEngine((region) => region);
    await found(engine, { edits: [other, EDIT] });
    expect(promptOf(engine)).toContain('src/a.ts.diff');
    expect(promptOf(engine)).not.toContain('secret');
  });
});

describe('other open documents', () => {
  const uri = 'file:///work/src/b.ts';
  const text = Array.from({ length: 40 }, (_, index) => (index === 30 ? 'sum(rate);\n' : `f(${index});\n`)).join('');
  const other = { uri, languageId: 'typescript', text, offset: null };
  const inOther = (region: string) => region.replace('sum(rate);', 'sum(rate, rate);');

  it('are asked where names of the edits stand, behind the document itself', async () => {
    const engine = onGpu(new RewritingEngine(inOther));
    const edit = await found(engine, { others: [other] });
    if (edit.kind !== 'edit') throw new Error(edit.reason);
    expect(edit.uri).toBe(uri);
    expect(text.slice(0, edit.start) + edit.newText + text.slice(edit.end)).toBe(inOther(text));
    expect(engine.requests.length).toBeGreaterThan(1);
    expect(promptOf(engine)).toContain('current/src/a.ts');
  });

  it('are not asked where no name of the edits stands', async () => {
    const engine = new RewritingEngine((region) => region);
    await found(engine, { others: [{ ...other, text: 'f(1);\n'.repeat(40) }] });
    expect(engine.requests.map(({ prompt }) => prompt.join('')).filter((each) => each.includes('src/b.ts'))).toEqual(
      [],
    );
  });

  it('are not asked without a GPU where the user is in a likelier place', async () => {
    const engine = new RewritingEngine(inOther);
    expect(await found(engine, { others: [other] })).toEqual({ kind: 'none', reason: 'unchanged' });
    expect(engine.requests).toHaveLength(1);
  });

  it('are not asked where the file may not be shown, or its language is none of the model', async () => {
    const asked = async (others: RewrittenDocument[], languages: readonly string[] | null = null) => {
      const engine = onGpu(new RewritingEngine((region) => region));
      if (engine.facts !== null) engine.facts = { ...engine.facts, languages };
      await found(engine, { others });
      return engine.requests.map(({ prompt }) => prompt.join('')).filter((each) => each.includes('src/b.ts')).length;
    };
    expect(await asked([other])).toBe(1);
    expect(await asked([other], ['typescript'])).toBe(1);
    expect(await asked([{ ...other, languageId: 'json' }], ['typescript'])).toBe(0);
    hidden = [uri];
    expect(await asked([other])).toBe(0);
  });

  it('do not make the model read more than three regions', async () => {
    const engine = onGpu(new RewritingEngine((region) => region));
    const others = Array.from({ length: 9 }, (_, index) => ({ ...other, uri: `file:///work/src/${index}.ts` }));
    await found(engine, { others });
    expect(engine.requests.length).toBe(3);
  });

  it('are not looked at after a key, which is heard between two of them', async () => {
    const key = new AbortController();
    const seen: string[] = [];
    const others = ['b', 'c'].map((name) => ({
      ...other,
      get languageId() {
        seen.push(name);
        return 'typescript';
      },
    }));
    const edit = found(new RewritingEngine(inOther), { others, signal: key.signal });
    setImmediate(() => key.abort());
    expect(await edit).toEqual({ kind: 'none', reason: 'cancelled' });
    expect(seen).not.toContain('c');
  });

  it('get no edit of a file that may not be shown', async () => {
    hidden = [URI];
    const engine = new RewritingEngine((region) => region);
    await found(engine, { others: [other] });
    expect(engine.requests.map(({ prompt }) => prompt.join('')).filter((each) => each.includes('src/b.ts'))).toEqual(
      [],
    );
  });
});

describe('definitions in other files', () => {
  beforeEach(() => {
    definitions = [
      { path: 'src/long.ts', text: 'long\n'.repeat(2_000) },
      { path: 'src/sum.ts', text: 'export function sum(a, b);\n' },
    ];
  });

  it('are shown where the format has a place and the prompt has room', async () => {
    const engine = new RewritingEngine((region) => region);
    engine.facts = { ...FACTS, nextEditFormat: 'sweep-1' };
    await found(engine);
    expect(promptOf(engine)).toMatch(/^<\|file_sep\|>src\/sum\.ts\nexport function sum\(a, b\);\n<\|file_sep\|>src\/a/);
  });

  it('are left out where the model never saw any', async () => {
    const engine = new RewritingEngine((region) => region);
    await found(engine);
    expect(promptOf(engine)).not.toContain('src/sum.ts');
  });
});
