import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  NEXT_EDIT_DECISIONS_REQUEST,
  NEXT_EDIT_NOTIFICATION,
  type NextEdit,
  type NextEditAnnouncement,
  type NextEditDecision,
} from '../../server/protocol/index.js';
import { ServerProcess } from '../support/servers/server-process.js';

const URI = 'file:///work/prices.ts';
const TEXT = `export function price(count: number): number {
  const unit = 3;
  return unit * count;
}

export function label(count: number): string {
  return \`\${count} pieces\`;
}
`;
const PATIENT = { timeBudgetMs: 60_000, threads: 1 };
/** A busy machine takes long for a prompt. */
const LIMIT_MS = 60_000;

let server: ServerProcess;
let announced: (NextEdit | null)[];
let document: TextDocument;

beforeEach(async () => {
  await start({ ...PATIENT, showsNextEdits: true });
});

async function start(options: object): Promise<void> {
  announced = [];
  server = new ServerProcess();
  server.connection.onNotification(NEXT_EDIT_NOTIFICATION, ({ edit }: NextEditAnnouncement) => {
    announced.push(edit);
  });
  await server.initialize(options);
  await server.waitForState('ready');
}

afterEach(() => server.dispose());

async function open(uri = URI, text = TEXT): Promise<void> {
  document = TextDocument.create(uri, 'typescript', 1, text);
  await server.open(uri, 'typescript', text);
}

/** Replaces a text that must be there, as one key or paste would. */
async function edit(wanted: string, by: string): Promise<void> {
  const start = document.getText().indexOf(wanted);
  if (start < 0) throw new Error(`${wanted} is not in the text`);
  const range = { start: document.positionAt(start), end: document.positionAt(start + wanted.length) };
  document = TextDocument.update(document, [{ range, text: by }], document.version + 1);
  await server.change(document.uri, document.version, [{ range, text: by }]);
}

const decisions = () => server.connection.sendRequest<NextEditDecision[]>(NEXT_EDIT_DECISIONS_REQUEST);

async function decided(count: number): Promise<readonly NextEditDecision[]> {
  return expect
    .poll(decisions, { timeout: LIMIT_MS, interval: 50 })
    .toSatisfy((all) => all.length >= count)
    .then(decisions);
}

describe('an announced edit', () => {
  it('is a change of the document as it is', async () => {
    await open();
    // Nothing is repeated, so the model is asked. What it says is its own affair.
    await edit('unit * count', 'unit * count * (1 + rate)');
    await edit('(count: number): number', '(count: number, rate: number): number');
    const [decision] = await decided(1);
    expect(decision?.sentence).toMatch(/\.$/);
    for (const next of announced) {
      if (next === null || next.version !== document.version) continue;
      expect(document.getText(next.range)).toBe(next.oldText);
      expect(next.newText).not.toBe(next.oldText);
    }
    expect(announced.length > 0).toBe(decision?.outcome === 'announced');
  });

  it('repeats a replacement without the model', async () => {
    await open();
    await edit('const unit', 'const each');
    await decided(1);
    const next = announced.at(-1);
    expect(next).toMatchObject({ uri: URI, oldText: 'unit', newText: 'each', reason: 'repeat' });
    expect(next && document.getText(next.range)).toBe('unit');
  });

  it('is withdrawn by a key', async () => {
    await open();
    await edit('const unit', 'const each');
    await decided(1);
    await edit('pieces', 'items');
    await expect.poll(() => announced.at(-1), { timeout: LIMIT_MS }).toBeNull();
  });
});

it('a key ends the question to the model', { timeout: 2 * LIMIT_MS }, async () => {
  await open(URI, Array.from({ length: 16 }, (_, index) => `show(value${index});\n`).join(''));
  // The model is asked where a line reads like one that got something. When it is at work, only a key can tell.
  const isCancelled = async () => (await decisions()).some(({ reason }) => reason === 'cancelled');
  for (let tried = 0; tried < 20 && !(await isCancelled()); tried++) {
    await edit(`show(value${tried % 8});`, `show(value${tried % 8}, unit${tried});`);
    // The pause, and a moment that grows.
    await new Promise((resolve) => setTimeout(resolve, 310 + 20 * tried));
    const { version } = document;
    const before = announced.length;
    await edit(`unit${tried})`, `unit${tried} + 1)`);
    await edit(`, unit${tried} + 1)`, ')');
    expect(announced.slice(before).filter((next) => next?.version === version)).toEqual([]);
  }
  expect(await isCancelled()).toBe(true);
});

it('a client that does not show next edits gets none, and costs nothing', async () => {
  await server.dispose();
  await start(PATIENT);
  await open();
  await edit('const unit', 'const each');
  // Longer than the pause; what is not there cannot be waited for.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect([announced, await decisions()]).toEqual([[], []]);
});

it('nothing is announced for files that may hold secrets', async () => {
  await open('file:///work/.env');
  await edit('const unit', 'const each');
  await open();
  await edit('const unit', 'const each');
  await decided(1);
  expect(announced.filter((next) => next !== null && next.uri !== URI)).toEqual([]);
  const ofSecret = (await decisions()).filter(({ uri }) => uri === 'file:///work/.env');
  expect(ofSecret.map(({ reason }) => reason)).toEqual(['secretFile']);
});
