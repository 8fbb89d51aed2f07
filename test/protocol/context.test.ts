import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InlineCompletionTriggerKind } from 'vscode-languageserver-protocol';
import {
  CLIPBOARD_NOTIFICATION,
  CONTEXT_REQUEST,
  CURSOR_NOTIFICATION,
  DEFINITIONS_NOTIFICATION,
  DIAGNOSTICS_NOTIFICATION,
  MAY_SHOW_REQUEST,
  type ShownSnippet,
  WORKSPACE_NOTIFICATION,
} from '../../server/protocol/index.js';
import { cursorFixture } from '../support/code/cursor-fixture.js';
import { positionIn } from '../support/code/text-position.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { TemporaryFolder } from '../support/temporary-folder.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1, maxTokens: 4 };

/** Each of them is in one file; only the first may ever be shown. */
const FILES: Readonly<Record<string, string>> = {
  'shown.ts': 'export function shownMarker(amount: number): string {\n  return String(amount);\n}\n',
  '.env': 'ENV_MARKER=1\n',
  '.env.ts': 'export const envMarker = 1;\n',
  'server.key': 'KEY_MARKER\n',
  'ignored.ts': 'export const ignoredMarker = 1;\n',
  'excluded.ts': 'export const excludedMarker = 1;\n',
  'hidden.ts': 'export const hiddenMarker = 1;\n',
  'pem.ts': 'export const pemMarker = `-----BEGIN PRIVATE KEY-----\nMIIE\n`;\n',
  'token.ts': `export const tokenMarker = 'ghp_${'a1'.repeat(18)}';\n`,
  '.gitignore': 'ignored.ts\n',
};
const MAIN = `import { shownMarker } from './shown.js';
import { envMarker } from './.env.js';
import { ignoredMarker } from './ignored.js';
import { excludedMarker } from './excluded.js';
import { hiddenMarker } from './hidden.js';
import { pemMarker } from './pem.js';
import { tokenMarker } from './token.js';

console.log(shownMarker(1), envMarker, ignoredMarker, excludedMarker, hiddenMarker, pemMarker, tokenMarker);
const text = shownMarker(║);
`;
const SECRET =
  /ENV_MARKER|envMarker|KEY_MARKER|ignoredMarker|excludedMarker|hiddenMarker|pemMarker|tokenMarker|MIIE|ghp_/;

/** The context of prompts changes only after a pause. */
const QUIET_MS = 1300;

let server: ServerProcess;
let folder: TemporaryFolder;
let version = 1;

beforeEach(async () => {
  folder = new TemporaryFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(folder.file(name), text);
  server = new ServerProcess();
  await server.initialize({ ...PATIENT, contextExclude: ['excluded.*'] }, pathToFileURL(folder.path).href);
});

afterEach(async () => {
  await server.dispose();
  folder.dispose();
});

const uriOf = (name: string): string => pathToFileURL(folder.file(name)).href;

async function completeInMain(marked = MAIN): Promise<readonly ShownSnippet[]> {
  const { text, offset } = cursorFixture(marked);
  // A change after the cursor, so that no earlier suggestion fits.
  const end = positionIn(text, text.length);
  await server.change(uriOf('main.ts'), ++version, [{ range: { start: end, end }, text: '// typed\n' }]);
  const explicitly = { triggerKind: InlineCompletionTriggerKind.Invoked };
  await server.complete(uriOf('main.ts'), positionIn(text, offset), undefined, explicitly);
  return (await server.connection.sendRequest<ShownSnippet[] | null>(CONTEXT_REQUEST, { uri: uriOf('main.ts') })) ?? [];
}

/** All blocks that prompts showed until one contained the wanted text, and during two more quiet periods. */
async function blocksUntil(wanted: string): Promise<string[]> {
  const blocks: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  for (const deadline = performance.now() + 30_000; performance.now() < deadline && left > 0; left--) {
    blocks.push((await completeInMain()).map(({ path, text }) => `${path}\n${text}`).join(''));
    if (blocks.at(-1)?.includes(wanted) && left > 3) left = 3;
    await delay(QUIET_MS);
  }
  if (left > 3) throw new Error(`${wanted} was never shown; the last block was: ${blocks.at(-1)}`);
  return blocks;
}

describe('the prompt', () => {
  it('shows imported files, and never secret, excluded or ignored ones, on disk or open and edited', async () => {
    await server.waitForState('ready');
    await server.open(uriOf('main.ts'), 'typescript', cursorFixture(MAIN).text);
    // Nothing else is open, and nothing may be read from the disk yet.
    expect(await completeInMain()).toEqual([]);
    const { lastCompletion: bare } = await server.status();
    await server.connection.sendNotification(WORKSPACE_NOTIFICATION, { trusted: true, exclude: ['**/hidden.ts'] });
    for (const [name, text] of Object.entries(FILES)) {
      if (name !== 'shown.ts') await server.open(uriOf(name), name.endsWith('.ts') ? 'typescript' : 'plaintext', text);
    }

    const end = { line: 1, character: 0 };
    for (const name of Object.keys(FILES)) {
      await server.connection.sendNotification(CURSOR_NOTIFICATION, { uri: uriOf(name), line: 0, character: 0 });
      if (name === 'shown.ts') continue;
      await server.change(uriOf(name), 2, [{ range: { start: end, end }, text: '// typed\n' }]);
    }
    const blocks = await blocksUntil('shown.ts\nexport function shownMarker(amount: number): string');
    expect(blocks.filter((block) => SECRET.test(block))).toEqual([]);
    const { lastCompletion } = await server.status();
    expect(lastCompletion?.promptTokens).toBeGreaterThan(bare?.promptTokens ?? Number.POSITIVE_INFINITY);
  });

  it('shows definitions that the editor names, and none of a file that may not be shown', async () => {
    await server.waitForState('ready');
    await server.connection.sendNotification(WORKSPACE_NOTIFICATION, { trusted: true, exclude: ['**/hidden.ts'] });
    const text = MAIN.replace(/^import.*\n/gm, '');
    expect(text).not.toContain('import');
    await server.open(uriOf('main.ts'), 'typescript', cursorFixture(text).text);
    const names = [...text.matchAll(/\w+Marker/g)].map(([name]) => name);
    const definitions = [...new Set(names)].flatMap((name) =>
      Object.keys(FILES).map((file) => {
        return { name, uri: uriOf(file), startLine: 0, endLine: 2, signature: `const ${name}: 'MIIE'` };
      }),
    );
    const blocks: string[] = [];
    await expect
      .poll(
        async () => {
          // The server takes so many at once.
          for (let start = 0; start < definitions.length; start += 16) {
            const some = definitions.slice(start, start + 16);
            await server.connection.sendNotification(DEFINITIONS_NOTIFICATION, {
              uri: uriOf('main.ts'),
              definitions: some,
            });
            await delay(QUIET_MS);
            blocks.push((await completeInMain(text)).map((each) => `${each.path}\n${each.text}`).join(''));
          }
          return blocks.some((block) =>
            block.includes('shown.ts\nexport function shownMarker(amount: number): string'),
          );
        },
        { timeout: 60_000 },
      )
      .toBe(true);
    expect(blocks.filter((block) => SECRET.test(block))).toEqual([]);
  });

  it('shows only open documents, nothing from disk, if the client does not report trust', async () => {
    await server.waitForState('ready');
    await server.open(uriOf('main.ts'), 'typescript', cursorFixture(MAIN).text);
    for (let asked = 0; asked < 3; asked++) {
      expect(await completeInMain()).toEqual([]);
      await delay(QUIET_MS);
    }
    await server.open(uriOf('shown.ts'), 'typescript', FILES['shown.ts']!);
    await blocksUntil('shownMarker');
  });

  it('tells the client what may be shown unasked: no secret, excluded, hidden or ignored file, and no secret text', async () => {
    await server.connection.sendNotification(WORKSPACE_NOTIFICATION, { trusted: true, exclude: ['**/hidden.ts'] });
    const mayShow = (name: string, text = FILES[name]) =>
      server.connection.sendRequest(MAY_SHOW_REQUEST, { uri: uriOf(name), text });
    const shown = await Promise.all(Object.keys(FILES).map(async (name) => ((await mayShow(name)) ? [name] : [])));
    expect(shown.flat()).toEqual(['shown.ts', '.gitignore']);
    expect(await mayShow('shown.ts', FILES['token.ts'])).toBe(false);
    expect(await mayShow('shown.ts', 'x'.repeat(1_000_000))).toBe(false);
    for (const malformed of [undefined, {}, { uri: 1, text: '' }, { uri: uriOf('shown.ts') }]) {
      expect(await server.connection.sendRequest(MAY_SHOW_REQUEST, malformed)).toBe(false);
    }
  });

  it('survives malformed messages', async () => {
    const methods = [
      WORKSPACE_NOTIFICATION,
      CLIPBOARD_NOTIFICATION,
      DIAGNOSTICS_NOTIFICATION,
      DEFINITIONS_NOTIFICATION,
    ];
    for (const method of methods) {
      await server.connection.sendNotification(method, { trusted: 'yes', exclude: [1], text: null });
      await server.connection.sendNotification(method);
    }
    expect(await server.connection.sendRequest(CONTEXT_REQUEST, { uri: 'file:///nowhere.ts' })).toBeNull();
    expect(await server.connection.sendRequest(CONTEXT_REQUEST)).toBeNull();
    expect(server.logs.join('\n')).toContain(`${WORKSPACE_NOTIFICATION} must hold`);
  });
});
