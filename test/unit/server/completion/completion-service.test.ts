import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, type InklingSettings } from '../../../../server/protocol/index.js';
import type { CompletionOutcome } from '../../../../server/src/completion/completion-outcome.js';
import { CompletionService } from '../../../../server/src/completion/completion-service.js';
import type { SelectedItem } from '../../../../server/src/completion/cursor-context.js';
import { EngineError } from '../../../../server/src/engine/engine-error.js';
import { EngineHost } from '../../../../server/src/engine/engine-host.js';
import { cursorFixture } from '../../../support/cursor-fixture.js';
import { ScriptedEngine, SILENT } from '../scripted-engine.js';

const never = new AbortController().signal;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let engine: ScriptedEngine;
let settings: InklingSettings;
let service: CompletionService;

beforeEach(async () => {
  engine = new ScriptedEngine();
  settings = DEFAULT_SETTINGS;
  const host = new EngineHost(() => engine, SILENT);
  service = new CompletionService(host, () => settings);
  host.want({ path: '/model.gguf' });
  await settle();
  engine.finishLoad();
  await settle();
});

function complete(marked: string, selected: SelectedItem | null = null, signal = never): Promise<CompletionOutcome> {
  const { text, offset } = cursorFixture(marked);
  const document = { uri: 'file:///a.ts', languageId: 'typescript', version: 1, text, path: 'a.ts' };
  return service.complete({ document, offset, selected }, signal);
}

describe('a suggestion', () => {
  it('comes from a prompt around the cursor', async () => {
    engine.pieces = ['left', ' + right;'];
    const outcome = await complete('return ║\n}\n');
    expect(outcome).toEqual({ kind: 'suggestion', suggestion: { id: 1, text: 'left + right;', start: 7, end: 7 } });
    expect(engine.requests).toEqual([
      {
        prompt: [95, 'a.ts\n', 90, 91, '\n}\n', 92, 'return '],
        marks: [2, 3, 5],
        heal: true,
        maxTokens: 64,
        stop: [],
        stopTokens: [90, 91, 92, 93, 94, 95],
        timeBudgetMs: 2000,
      },
    ]);
    expect(service.lastCompletion).toMatchObject({ promptTokens: 10, reusedTokens: 4, generatedTokens: 3 });
  });

  it('has the line ends of the document', async () => {
    engine.pieces = ['\n  a();\n}\n'];
    const outcome = await complete('if (a) {║\r\nb();\r\n');
    expect(outcome).toMatchObject({ suggestion: { text: '\r\n  a();\r\n}' } });
  });

  it('stops the engine where the block ends', async () => {
    engine.pieces = ['\n  a();', '\n}\n', 'more', 'and more'];
    const outcome = await complete('if (a) {║');
    expect(outcome).toMatchObject({ suggestion: { text: '\n  a();\n}' } });
  });

  it('extends the selected item', async () => {
    engine.pieces = ['("hello")'];
    const outcome = await complete('console.lo║', { start: 8, text: 'log' });
    expect(outcome).toMatchObject({ suggestion: { text: 'log("hello")', start: 8, end: 10 } });
    expect(engine.requests[0]?.prompt).toContain('console.log');
  });

  it('is asked for again with a shorter prompt when the estimate was wrong', async () => {
    engine.failure = new EngineError('promptTooLong', 'Too long');
    expect((await complete(`${'x = 1\n'.repeat(2000)}║`)).kind).toBe('suggestion');
    const [first, second] = engine.requests.map(({ prompt }) => prompt.join('').length);
    expect(second).toBeLessThan((first ?? 0) / 2);
  });
});

describe('no suggestion', () => {
  it('while Inkling is switched off', async () => {
    settings = { ...DEFAULT_SETTINGS, enabled: false };
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'disabled' });
  });

  it('in a language that is switched off', async () => {
    settings = { ...DEFAULT_SETTINGS, languages: { typescript: false } };
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'languageDisabled' });
  });

  it('before a model is loaded', async () => {
    service = new CompletionService(new EngineHost(() => engine, SILENT), () => settings);
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'modelNotReady' });
  });

  it('when the filters leave nothing', async () => {
    engine.pieces = ['   '];
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'filtered', detail: 'trailing whitespace' });
  });

  it('when the engine fails', async () => {
    engine.failure = new EngineError('decodeFailed', 'No decode');
    expect(await complete('a║')).toEqual({ kind: 'none', reason: 'engineError', detail: 'decodeFailed: No decode' });
  });

  it('after the caller gave up', async () => {
    const controller = new AbortController();
    engine.gate = new Promise(() => undefined);
    const outcome = complete('a║', null, controller.signal);
    controller.abort();
    expect(await outcome).toEqual({ kind: 'none', reason: 'cancelled' });
  });

  it('for a request that a later one has overtaken', async () => {
    const older = complete('a║');
    const newer = complete('ab║');
    expect((await older).kind).toBe('none');
    expect((await newer).kind).toBe('suggestion');
  });
});
