import { afterEach, beforeEach, expect, it } from 'vitest';
import { CancellationTokenSource } from 'vscode-languageserver-protocol';
import { ServerProcess } from '../support/servers/server-process.js';

const URI = 'file:///work/long.ts';
/** A long prompt, whose evaluation takes far longer than a cancellation may. */
const LONG_SOURCE = `${'export function f(a: number, b: number) {\n  return a + b;\n}\n\n'.repeat(80)}const g = {\n  `;
const END = { line: 321, character: 2 };

let server: ServerProcess;

beforeEach(async () => {
  server = new ServerProcess();
  await server.initialize({ maxTokens: 24, timeBudgetMs: 60_000, threads: 1 });
  await server.waitForState('ready');
  await server.open(URI, 'typescript', LONG_SOURCE);
});

afterEach(() => server.dispose());

it('answers a cancelled request and leaves the engine free', async () => {
  const source = new CancellationTokenSource();
  const pending = server.complete(URI, END, source.token).catch(() => []);
  await server.waitForState('working');
  source.cancel();
  await expect(pending).resolves.toEqual([]);
  // The engine stops at the end of its current step.
  await server.waitForState('ready');
  expect((await server.status()).lastCompletion).toBeNull();
});

it('drops requests that later ones replace', async () => {
  const answers: Promise<unknown[]>[] = [];
  // Windows stops no process.
  const signal = (name: NodeJS.Signals) => process.platform === 'win32' || server.child.kill(name);
  // All keystrokes are in its input at once. A busy machine may still end one of them before it reads the next.
  signal('SIGSTOP');
  try {
    for (let keystroke = 0; keystroke < 40; keystroke++) {
      const character = END.character + keystroke;
      await server.change(URI, keystroke + 2, [
        { range: { start: { ...END, character }, end: { ...END, character } }, text: 'x' },
      ]);
      answers.push(server.complete(URI, { ...END, character: character + 1 }));
    }
    // The messages are written in turn.
    await server.change(URI, 42, []);
  } finally {
    signal('SIGCONT');
  }
  const items = await Promise.all(answers);
  const ended = items.slice(0, -1).filter((list) => list.length > 0);
  expect(ended.length).toBeLessThan(answers.length / 4);
  await server.waitForState('ready');
  // The last generation ended on its own; earlier ones were aborted.
  expect((await server.status()).lastCompletion).not.toBeNull();
});

it('lets an equivalent request join the running one', async () => {
  const [first, second] = await Promise.all([server.complete(URI, END), server.complete(URI, END)]);
  expect(second).toEqual(first);
});
