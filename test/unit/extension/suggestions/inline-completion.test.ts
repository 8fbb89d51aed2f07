import { beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  CancellationToken,
  InlineCompletionContext,
  InlineCompletionItem,
  LogOutputChannel,
  Position,
  TextDocument,
} from 'vscode';
import { createInlineCompletionMiddleware } from '../../../../extension/src/suggestions/inline-completion.js';
import { FakeDocument, fakeUser, vscode } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const { Invoke, Automatic } = vscode.InlineCompletionTriggerKind;
const log = { trace: () => undefined, error: () => undefined } as unknown as LogOutputChannel;

let document: FakeDocument;
let isWanted: boolean;
let nothingTold: number;
/** The server answers the oldest question with these. */
let answers: ((items: InlineCompletionItem[]) => void)[];
let middleware: ReturnType<typeof createInlineCompletionMiddleware>;

beforeEach(() => {
  document = new FakeDocument('/a.ts', 'one\ntwo');
  fakeUser.open(document);
  [isWanted, nothingTold, answers] = [true, 0, []];
  const listener = {
    isWanted: () => isWanted,
    onAnswer: () => undefined,
    onNothing: () => void nothingTold++,
  };
  middleware = createInlineCompletionMiddleware(listener, log);
});

const GHOST_TEXT = [{ insertText: 'three' }] as InlineCompletionItem[];

/** @param token what VS Code cancels once it asks again */
function ask(triggerKind: number, character = 3, token = { isCancellationRequested: false }) {
  const next = () => new Promise<InlineCompletionItem[]>((resolve) => answers.push(resolve));
  const position = { line: 0, character } as Position;
  const context = { triggerKind } as InlineCompletionContext;
  const asked = document as unknown as TextDocument;
  return middleware.provideInlineCompletionItems(asked, position, context, token as CancellationToken, next);
}

describe('what the user asks for where suggestions do not come by themselves', () => {
  beforeEach(() => {
    isWanted = false;
  });

  it('comes although VS Code asks again before it is made, as when its suggest widget opens', async () => {
    const token = { isCancellationRequested: false };
    const asked = ask(Invoke, 3, token);
    token.isCancellationRequested = true;
    const again = ask(Automatic);
    for (const answer of answers) answer(GHOST_TEXT);
    expect([await asked, await again, nothingTold]).toEqual([null, GHOST_TEXT, 0]);
  });

  it.each([
    ['a key later', () => document.replace(new vscode.Range(0, 3, 0, 3), 's'), 3],
    ['at another place', () => undefined, 2],
  ])('is not asked for again %s', async (_when, change, character) => {
    void ask(Invoke);
    change();
    expect(await ask(Automatic, character)).toBeNull();
    expect(answers).toHaveLength(1);
  });
});

it("the user hears once that there is nothing, whichever of VS Code's questions was answered", async () => {
  const token = { isCancellationRequested: false };
  const asked = ask(Invoke, 3, token);
  token.isCancellationRequested = true;
  const again = [ask(Automatic), ask(Automatic)];
  for (const answer of answers) answer([]);
  await Promise.all([asked, ...again]);
  expect(nothingTold).toBe(1);
});

it('nobody hears of nothing where VS Code asked', async () => {
  const asked = ask(Automatic);
  for (const answer of answers) answer([]);
  await asked;
  expect(nothingTold).toBe(0);
});
