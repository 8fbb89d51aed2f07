import { describe, expect, it } from 'vitest';
import { STARTER, sweep } from '../../../../../server/src/next-edit/formats/sweep.js';
import { readyPrompt, SpecialTokenIds } from '../../../../../server/src/next-edit/rewrite/ready-prompt.js';
import { type DepartureGate, rewriteRegion } from '../../../../../server/src/next-edit/rewrite/rewriter.js';
import { FACTS } from '../../scripted-engine.js';
import { QUESTION } from '../formats/questions.js';
import { RewritingEngine } from '../rewriting-engine.js';

const linesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `const value${index} = ${index};\n`).join('');
const REGION = linesOf(12);
const PATIENT_MS = 60_000;
const never = new AbortController().signal;

async function rewritten(
  engine: RewritingEngine,
  signal = never,
  timeBudgetMs = PATIENT_MS,
  region = REGION,
  gate: DepartureGate | null = null,
) {
  const question = { ...QUESTION, current: region, original: region, cursor: null };
  const prompt = await readyPrompt(sweep(STARTER).promptFor(question), FACTS, new SpecialTokenIds(), engine);
  return rewriteRegion(engine, prompt, gate, timeBudgetMs, signal);
}

const proposals = (engine: RewritingEngine) => engine.requests.map(({ proposal = '' }) => proposal);

describe('a region that needs no edit', () => {
  it('is offered as it is, and nothing is decoded', async () => {
    const engine = new RewritingEngine((region) => region);
    const outcome = await rewritten(engine);
    expect(outcome).toMatchObject({
      kind: 'rewrite',
      rewrite: { answer: { kind: 'unchanged' }, departure: null, decoded: [], rounds: 1 },
    });
    expect(proposals(engine)).toEqual([REGION]);
  });
});

describe('a region that needs an edit', () => {
  const change = (region: string) => region.replace('const value3 = 3;', 'let value3 = 30;');

  it('is decoded until it meets the old text, then the rest is offered', async () => {
    const engine = new RewritingEngine(change);
    const outcome = await rewritten(engine);
    expect(outcome).toMatchObject({ kind: 'rewrite', rewrite: { answer: { region: change(REGION) }, rounds: 2 } });
    expect(proposals(engine)).toEqual([REGION, REGION.slice(REGION.indexOf('const value6'))]);
    const decoded = outcome.kind === 'rewrite' ? outcome.rewrite.decoded.length : 0;
    expect(decoded).toBe('let value3 = 30;\nconst value4 = 4;\nconst value5 = 5;\n'.length);
    expect(outcome).toMatchObject({ rewrite: { departure: { verified: REGION.indexOf('const value3') } } });
  });

  it('keeps what was said before the generation ended', async () => {
    const engine = new RewritingEngine(change);
    engine.saidLate = 25;
    await rewritten(engine);
    expect(proposals(engine).at(-1)).toBe(REGION.slice(REGION.indexOf('const value7')));
    expect(engine.requests.at(-1)?.prompt.at(-1)).toMatch(/^const value0[\s\S]*const value6 = 6;\n$/);
  });

  it('may have several', async () => {
    const twice = (region: string) => change(region).replace('value9 = 9', 'value9 = 90');
    const engine = new RewritingEngine(twice);
    expect(await rewritten(engine)).toMatchObject({ rewrite: { answer: { region: twice(REGION) }, rounds: 3 } });
  });

  it('gets background priority, the same special tokens as stops, and its state kept where sections end', async () => {
    const engine = new RewritingEngine(change);
    await rewritten(engine);
    const [first, second] = engine.requests;
    expect(first).toMatchObject({ priority: 'background', stopTokens: [95], endsWithFile: true, runnersUp: true });
    expect(first?.sectionBoundaries?.at(-1)).toBe(first?.prompt.length);
    expect(second?.sectionBoundaries?.slice(-2)).toEqual([first?.prompt.length, second?.prompt.length]);
  });
});

describe('a departure', () => {
  const change = (region: string) => region.replace('const value3 = 3;', 'let value3 = 30;');
  const gated = (engine: RewritingEngine, canPass: DepartureGate['canPass']) =>
    rewritten(engine, never, PATIENT_MS, REGION, { canPass, within: null });

  it('from which nothing can pass is not decoded further', async () => {
    const engine = new RewritingEngine(change);
    const asked: unknown[] = [];
    const outcome = await gated(engine, (margin, said) => asked.push([margin, said]) < 0);
    expect(outcome).toEqual({ kind: 'refused' });
    expect(asked).toEqual([
      [0, REGION.indexOf('const value3')],
      [expect.closeTo(9, 1), REGION.indexOf('const value3')],
    ]);
    expect(engine.said).toBeLessThan(REGION.indexOf('const value3') + 5);
  });

  it('is decoded further once its margin is enough, as if it had never stopped', async () => {
    const engine = new RewritingEngine(change);
    const outcome = await gated(engine, (margin) => margin > 2);
    expect(engine.requests.map(({ begin = [] }) => begin.length)).toEqual([0, REGION.indexOf('const value3') + 1, 0]);
    const { rewrite } = await rewritten(new RewritingEngine(change)).then((whole) => ({ rewrite: null, ...whole }));
    expect(outcome).toEqual({ kind: 'rewrite', rewrite });
  });

  it('is not stopped where any margin is enough', async () => {
    const engine = new RewritingEngine(change);
    expect(await gated(engine, () => true)).toMatchObject({ kind: 'rewrite', rewrite: { rounds: 2 } });
    expect(engine.requests).toHaveLength(2);
  });
});

describe('an engine that closes', () => {
  it('is not asked again, whichever round it was in', async () => {
    const engine = new (class extends RewritingEngine {
      override async generate(...asked: Parameters<RewritingEngine['generate']>) {
        const result = await super.generate(...asked);
        return this.requests.length < 2 ? result : { ...result, stopReason: 'aborted' as const };
      }
    })((region) => region.replace('const value3 = 3;', 'let value3 = 30;'));
    const gate = { canPass: () => true, within: null };
    expect((await rewritten(engine, never, PATIENT_MS, REGION, gate)).kind).toBe('unfinished');
    expect(engine.requests).toHaveLength(2);
  });
});

describe('a region of which only a part is worth a look', () => {
  const END = REGION.indexOf('value4');
  const PART = REGION.slice(0, REGION.indexOf('const value5'));
  const asked = async (change: (region: string) => string, region = REGION) => {
    const engine = new RewritingEngine(change);
    const gate = { canPass: (margin: number) => margin > 2, within: { start: 0, end: END } };
    return { engine, outcome: await rewritten(engine, never, PATIENT_MS, region, gate) };
  };

  it('is offered up to the end of that line', async () => {
    const { engine, outcome } = await asked((region) => region);
    expect(outcome).toMatchObject({ kind: 'rewrite', rewrite: { answer: { kind: 'unchanged' }, decoded: [] } });
    expect(engine.requests.map(({ proposal, maxTokens }) => [proposal, maxTokens])).toEqual([[PART, PART.length]]);
  });

  it('is not asked about what follows', async () => {
    const { engine, outcome } = await asked((region) => region.replace('value9 = 9', 'value9 = 90'));
    expect(outcome).toMatchObject({ rewrite: { answer: { kind: 'unchanged' } } });
    expect(engine.requests).toHaveLength(1);
  });

  it.each([
    ['within it', 'const value3 = 3;', 'let value3 = 30;'],
    ['in its last token', 'const value4 = 4;\n', 'const value4 = 4; '],
  ])('is rewritten as a whole region is where the answer departs %s', async (_, from, to) => {
    const change = (region: string) => region.replace(from, to);
    const { engine, outcome } = await asked(change);
    const whole = await rewritten(new RewritingEngine(change));
    expect(whole).toMatchObject({
      kind: 'rewrite',
      rewrite: { answer: { kind: 'rewritten', region: change(REGION) } },
    });
    const same = whole.kind === 'rewrite' ? { ...whole.rewrite, rounds: 1 } : null;
    expect(outcome).toEqual({ kind: 'rewrite', rewrite: same });
    expect(proposals(engine)).toEqual([PART, REGION]);
  });

  it('is asked about its rest after a departure, and about nothing that follows', async () => {
    const early = (region: string) => region.replace('const value0 = 0;', 'let value0 = 10;');
    const { engine, outcome } = await asked((region) => early(region).replace('value9 = 9', 'value9 = 90'));
    expect(outcome).toMatchObject({ kind: 'rewrite', rewrite: { answer: { region: early(REGION) }, rounds: 2 } });
    const rest = REGION.indexOf('const value3');
    expect(proposals(engine)).toEqual([PART, REGION, PART.slice(rest)]);
  });

  it('may depart again in its rest', async () => {
    const change = (region: string) => region.replace('value0 = 0', 'value0 = 10').replace('value4 = 4', 'value4 = 40');
    const { engine, outcome } = await asked(change);
    expect(outcome).toMatchObject({ kind: 'rewrite', rewrite: { answer: { region: change(REGION) }, rounds: 2 } });
    const rest = REGION.indexOf('const value3');
    expect(proposals(engine)).toEqual([PART, REGION, PART.slice(rest), REGION.slice(rest)]);
  });

  it('takes in the blank lines behind it, whose line ends may be one token with its own', async () => {
    const { engine } = await asked((region) => region, REGION.replace('const value5', '\n  \nconst value5'));
    expect(proposals(engine)).toEqual([`${PART}\n  \n`]);
  });
});

describe('a region of which the first lines are not worth a look', () => {
  const START = REGION.indexOf('value3');
  const GIVEN = REGION.slice(0, REGION.indexOf('const value3'));
  const REST = REGION.slice(GIVEN.length, REGION.indexOf('const value8'));
  const asked = async (change: (region: string) => string, region = REGION, start = START) => {
    const engine = new RewritingEngine(change);
    const gate = { canPass: () => true, within: { start, end: region.indexOf('value7') } };
    return { engine, outcome: await rewritten(engine, never, PATIENT_MS, region, gate) };
  };

  it('has them in its prompt, as the end of the last section', async () => {
    const { engine, outcome } = await asked((region) => region);
    const [request] = engine.requests;
    expect([request?.prompt.at(-1), request?.proposal]).toEqual([GIVEN, REST]);
    expect(request?.sectionBoundaries?.at(-1)).toBe(request?.prompt.length);
    const { sectionBoundaries } = await whole();
    expect(request?.sectionBoundaries).toHaveLength(sectionBoundaries.length);
    expect(outcome).toMatchObject({ kind: 'rewrite', rewrite: { answer: { kind: 'unchanged' }, decoded: [] } });
  });

  it.each([
    ['at the first line that is asked for', 'const value3 = 3;', 'let value3 = 30;', 2],
    ['at a later one', 'const value5 = 5;', 'let value5 = 50;', 1],
  ])('is rewritten as a whole region is where the answer departs %s', async (_, from, to, rounds) => {
    const change = (region: string) => region.replace(from, to);
    const { engine, outcome } = await asked(change);
    const plain = await rewritten(new RewritingEngine(change));
    expect(outcome).toMatchObject({ kind: 'rewrite', rewrite: { answer: { region: change(REGION) }, rounds } });
    expect(plain).toMatchObject({ kind: 'rewrite', rewrite: { answer: { region: change(REGION) } } });
    const parts = engine.requests.map(({ prompt }) => prompt.slice(0, engine.requests[0]?.prompt.length));
    expect(parts).toHaveLength(rounds);
    expect(parts.every((each) => each.at(-1) === GIVEN)).toBe(true);
  });

  it('is asked from the line before blank ones, whose line ends may be one token with its own', async () => {
    const region = REGION.replace('const value3', '\n  \n\nconst value3');
    const { engine } = await asked((each) => each, region, region.indexOf('const value3') - 1);
    expect(engine.requests[0]?.prompt.at(-1)).toBe(REGION.slice(0, REGION.indexOf('const value2')));
  });

  it('is asked from its start where only blank lines are before the first change', async () => {
    const region = `\n\n${REGION}`;
    const { engine } = await asked((each) => each, region, 1);
    expect(engine.requests[0]?.proposal?.startsWith(region.slice(0, 20))).toBe(true);
  });

  async function whole() {
    const engine = new RewritingEngine((region) => region);
    await rewritten(engine);
    return { sectionBoundaries: engine.requests[0]?.sectionBoundaries ?? [] };
  }
});

describe('gives up', () => {
  it('where the answer departs again and again', async () => {
    const engine = new RewritingEngine((region) => region.replaceAll('const', 'let'));
    expect(await rewritten(engine)).toMatchObject({ kind: 'rewrite' });
    const changing = new RewritingEngine((region) => region.replace(/value(0|3|6|9|12|15|18) =/g, 'other$1 ='));
    expect((await rewritten(changing, never, PATIENT_MS, linesOf(21))).kind).toBe('unfinished');
    expect(changing.requests.length).toBeLessThanOrEqual(5);
  });

  it('where the answer never ends', async () => {
    const engine = new RewritingEngine(() => 'x();\n'.repeat(10_000));
    expect((await rewritten(engine)).kind).toBe('unfinished');
  });

  it('without a request once its time is up', async () => {
    const engine = new RewritingEngine((region) => region);
    expect((await rewritten(engine, never, 0)).kind).toBe('unfinished');
    expect(engine.requests).toEqual([]);
  });

  it('where a key came', async () => {
    const abort = new AbortController();
    const engine = new RewritingEngine((region) => {
      abort.abort();
      return region;
    });
    expect((await rewritten(engine, abort.signal)).kind).toBe('cancelled');
  });
});

describe('special tokens', () => {
  it('are looked up once for each model, and stay text where the vocabulary has none', async () => {
    const engine = new RewritingEngine((region) => region);
    const ids = new SpecialTokenIds();
    expect([...(await ids.of(['<|file_sep|>', '<|cursor|>'], FACTS, engine))]).toEqual([['<|file_sep|>', 95]]);
    engine.special = new Map();
    expect([...(await ids.of(['<|file_sep|>'], FACTS, engine))]).toEqual([['<|file_sep|>', 95]]);
    expect([...(await ids.of(['<|file_sep|>'], { ...FACTS }, engine))]).toEqual([]);
  });

  it('are none where the spelling is an ordinary token', async () => {
    const engine = new RewritingEngine((region) => region);
    engine.special = new Map([['a', 97]]);
    expect([...(await new SpecialTokenIds().of(['a'], FACTS, engine))]).toEqual([]);
  });
});
