import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EVERY_CAPABILITY } from '../../../../server/src/engine/port/model-facts.js';
import { FACTS } from '../scripted-engine.js';
import { CompletionFixture, NO_CONTEXT } from './completion-fixture.js';

let fixture: CompletionFixture;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  fixture.service.dispose();
  vi.useRealTimers();
});

/** The first word is there at once, the rest after a second. */
async function slowEngine(resumes: boolean): Promise<void> {
  const capabilities = { ...EVERY_CAPABILITY, resumes };
  fixture = await CompletionFixture.ready(NO_CONTEXT, { ...FACTS, capabilities });
  fixture.engine.pieces = ['sole.log', '(a);'];
  const rest = new Promise<void>((resolve) => setTimeout(resolve, 1000));
  fixture.engine.pieceGate = (index) => (index === 0 ? Promise.resolve() : rest);
}

it.each([
  ['before a part of it is shown', 100, true],
  ['before a part of it is shown, by an engine that does not resume', 100, false],
  ['after a part of it was shown', 500, true],
  ['after a part of it was shown, by an engine that does not resume', 500, false],
])('what the user asked for comes, though the suggest widget opens %s', async (_when, opensMs, resumes) => {
  await slowEngine(resumes);
  const closing = new AbortController();
  void fixture.complete('con║\n}\n', { trigger: 'invoked' }, closing);
  await vi.advanceTimersByTimeAsync(opensMs);
  const again = fixture.textAt('con║\n}\n', { selected: { start: 0, text: 'console' } });
  closing.abort();
  const requests = fixture.engine.requests.length;
  await vi.advanceTimersByTimeAsync(2000);
  expect(await again).toBe('console.log(a);');
  // The engine goes on with the same answer; where it resumes, after a pause.
  const paused = resumes && opensMs < 400 ? 1 : 0;
  expect(fixture.engine.requests).toHaveLength(requests + paused);
});

it('behind an accepted suggestion, where Inkling asks first, what is ready is shown as early as anywhere', async () => {
  await slowEngine(true);
  void fixture.complete('con║\n}\n', { trigger: 'prepared' });
  await vi.advanceTimersByTimeAsync(50);
  const asked = fixture.complete('con║\n}\n');
  await vi.advanceTimersByTimeAsync(400);
  expect(await Promise.race([asked, 'still waiting'])).toMatchObject({
    suggestions: [{ text: 'sole.' }],
    partial: true,
  });
  expect(fixture.service.decisions[0]).toMatchObject({ source: 'joined', outcome: 'partlyShown' });
  await vi.advanceTimersByTimeAsync(1000);
  expect(await fixture.textAt('console.log║\n}\n', { version: 2 })).toBe('(a);');
});

it('the answer that is being made goes on as the user types along it, where others wait for another key', async () => {
  await slowEngine(true);
  for (let index = 0; index < 12; index += 1) fixture.service.latencies.add({ workMs: 500, latencyMs: 500 });
  const typesOn = new AbortController();
  void fixture.complete('con║\n}\n', {}, typesOn);
  await vi.advanceTimersByTimeAsync(250);
  // It waited for 200 ms, and makes it since then.
  expect(fixture.engine.requests).toHaveLength(1);
  typesOn.abort();
  // VS Code waits for 50 ms before it asks again, and a busy machine is late.
  await vi.advanceTimersByTimeAsync(100);
  const along = fixture.textAt('cons║\n}\n', { version: 2 });
  await vi.advanceTimersByTimeAsync(200);
  expect(fixture.engine.requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await along).toBe('ole.log(a);');
  expect(fixture.service.decisions[0]).toMatchObject({ source: 'joined', debounceMs: 0 });
});

it('an answer of which the time limit left too little is asked for again, also where it was joined twice', async () => {
  await slowEngine(true);
  const { engine } = fixture;
  const generate = engine.generate.bind(engine);
  engine.generate = (request, ...others) => {
    const isOwn = request.prompt.at(-1) === 'cons';
    engine.pieces = isOwn ? ['ole.log(a);'] : ['sole.', 'log'];
    engine.stopReason = isOwn ? 'endOfText' : 'timeBudget';
    return generate(request, ...others);
  };
  const typesOn = new AbortController();
  void fixture.complete('con║\n}\n', {}, typesOn);
  await vi.advanceTimersByTimeAsync(100);
  typesOn.abort();
  const along = fixture.complete('cons║\n}\n', { version: 2 });
  await vi.advanceTimersByTimeAsync(3000);
  expect(await along).toMatchObject({ suggestions: [{ text: 'ole.log(a);' }] });
});
