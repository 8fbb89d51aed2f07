import { beforeEach, expect, it, vi } from 'vitest';
import type { ChatServer } from '../../../../extension/src/chat/answer/chat-server.js';
import { registerCommitMessages } from '../../../../extension/src/commit-message/commit-messages.js';
import { fakeUser, vscode } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const ORDINARY = 'diff --git a/cart.ts b/cart.ts\nindex 1..2 100644\n@@ -1 +1 @@\n-old\n+new\n';
const EXTERNAL = 'cart.ts --- TypeScript\n1 old   1 new\n';

const repository = { rootUri: new vscode.Uri('file', '/work'), inputBox: { value: '' }, staged: '', changed: '' };
let answers: { text: string; ending: 'complete' | 'stopped' }[];
let isHeld: Promise<void> | null;
let asked: string[];
/** Of the answer, before it ends. */
let pieces: number;
let piecesSent: number;
let admits: (uri: string, text: string) => boolean;

beforeEach(() => {
  fakeUser.open();
  Object.assign(repository, { inputBox: { value: '' }, staged: ORDINARY, changed: '' });
  const diff = async (cached = false) => (cached ? repository.staged : repository.changed);
  fakeUser.git = { repositories: [Object.assign(repository, { diff, log: async () => [] })] };
  [pieces, piecesSent] = [0, 0];
  [answers, isHeld, asked, admits] = [[{ text: 'Count once', ending: 'complete' }], null, [], () => true];
  const ask: ChatServer['ask'] = async ({ messages }, onPieces, signal) => {
    asked.push(messages.at(-1)?.text ?? '');
    for (let piece = 0; piece < pieces && !signal.aborted; piece++) {
      onPieces([{ kind: 'answer', text: 'and so on '.repeat(100) }]);
      piecesSent = piece + 1;
    }
    const answer = answers.shift() ?? { text: 'Another', ending: 'complete' };
    await isHeld;
    const known = { thinking: '', toolCalls: [], droppedTurns: 0, forgottenTokens: 0, promptTokens: 1 };
    const counted = { reusedTokens: 0, generatedTokens: 1, prefillMs: 0, decodeMs: 0, preemptions: 0 };
    return { kind: 'answered', answer: { ...answer, ...known, ...counted } };
  };
  const mayShow = async (uri: string, text: string) => admits(uri, text);
  registerCommitMessages({ server: { ask }, mayAsk: async () => true, mayShow, rules: () => null });
});

const write = () => fakeUser.run('inkling.writeCommitMessage');

it('writes the message of the staged changes into the box', async () => {
  await write();
  expect([repository.inputBox.value, fakeUser.notifications]).toEqual(['Count once', []]);
});

it('blames nobody for a message that the same command has written twice', async () => {
  let release = (): void => undefined;
  isHeld = new Promise((resolve) => {
    release = resolve;
  });
  const first = write();
  await expect.poll(() => asked.length).toBe(1);
  const second = write();
  await expect.poll(() => asked.length).toBe(2);
  release();
  await Promise.all([first, second]);
  expect([repository.inputBox.value, fakeUser.notifications]).toEqual(['Another', []]);
});

it('takes no half of an answer that was stopped, such as by turning Inkling off', async () => {
  answers = [{ text: 'Count on', ending: 'stopped' }];
  await write();
  expect([repository.inputBox.value, fakeUser.notifications]).toEqual(['', []]);
});

it('stops an answer that goes on behind all that is read, and takes its beginning', async () => {
  pieces = 1_000;
  answers = [{ text: `Count once\n\n${'and so on '.repeat(1_000)}`, ending: 'stopped' }];
  await write();
  expect(piecesSent).toBeLessThan(10);
  expect(repository.inputBox.value).toMatch(/^Count once\n\nand so on/);
});

it('has a long change judged by the part that the model sees', async () => {
  repository.staged = `${ORDINARY}${'+more\n'.repeat(50_000)}`;
  admits = (_uri, text) => text.length <= 4_000;
  await write();
  expect([repository.inputBox.value, fakeUser.notifications]).toEqual(['Count once', []]);
  expect(asked[0]).toContain('+new\n+more');
});

it('describes what is not staged where a conflict is all that is', async () => {
  Object.assign(repository, { staged: '* Unmerged path cart.ts\n', changed: ORDINARY });
  await write();
  expect(asked[0]).toContain('+new');
});

it.each([
  ['another program shows the changes', EXTERNAL, /git.*diff\.external/i],
  ['there are none', '', /no changes/],
  ['only a conflict is left', '* Unmerged path cart.ts\n', /no changes/],
])('says what is wrong if %s', async (_name, staged, message) => {
  repository.staged = staged;
  await write();
  expect(fakeUser.notifications).toEqual([expect.stringMatching(message)]);
  expect(asked).toEqual([]);
});

it('says what git says where it fails', async () => {
  Object.assign(repository, { diff: () => Promise.reject(new Error('bad [config](command:evil)')) });
  await write();
  expect(fakeUser.notifications).toEqual([expect.stringContaining('bad [config] (command:evil)')]);
});
