import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  DidChangeConfigurationNotification,
  type InlineCompletionItem,
  InlineCompletionTriggerKind,
  type Position,
} from 'vscode-languageserver-protocol';
import { ACCEPTED_COMMAND } from '../../server/protocol/index.js';
import { anchorIn, readFixture } from '../support/code/fixtures.js';
import { sureArgument, sureBlock, sureCode } from '../support/code/sure-code.js';
import { positionIn } from '../support/code/text-position.js';
import { ServerProcess } from '../support/servers/server-process.js';

/**
 * These tests check the answer, not its latency: other suites may keep the machine busy, and then two engine threads
 * mostly wait for each other.
 */
const PATIENT = { timeBudgetMs: 60_000, threads: 1 };

/** The user's command, which any cursor position and any last edit allow. */
const ASKED = { triggerKind: InlineCompletionTriggerKind.Invoked };

let server: ServerProcess;

/** Starting the server and loading the model takes longer than most tests: those whose settings agree share one. */
function shareServer(workspaceFolder: string): void {
  beforeAll(async () => {
    server = new ServerProcess();
    await server.initialize(PATIENT, workspaceFolder);
    await server.waitForState('ready');
  });
  afterEach(() => server.closeAll());
  afterAll(() => server.dispose());
}

function changeSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
  return server.connection.sendNotification(DidChangeConfigurationNotification.type, { settings });
}

/**
 * The suggestions of the first request that has the whole text: what a busy machine does not have ready after 0.4 s it
 * shows to a later one.
 */
async function suggestionsWith(expected: string, uri: string, position: Position): Promise<InlineCompletionItem[]> {
  let items: InlineCompletionItem[] = [];
  const suggested = async () => {
    items = await server.complete(uri, position);
    return items[0]?.insertText;
  };
  await expect.poll(suggested).toContain(expected);
  return items;
}

describe('a completion from the starter model', () => {
  shareServer('file:///work');

  it('finishes a line of TypeScript', async () => {
    const { text, position, expected } = sureCode();
    await server.open('file:///work/src/settings.ts', 'typescript', text);
    const items = await suggestionsWith(expected, 'file:///work/src/settings.ts', position);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      insertText: expect.stringContaining(expected),
      range: { start: position, end: position },
      command: { command: ACCEPTED_COMMAND, arguments: [{ suggestionId: expect.any(Number) }] },
    });
    const { lastCompletion, memory, model, state } = await server.status();
    expect(state).toEqual({ kind: 'ready' });
    expect(lastCompletion?.promptTokens).toBeGreaterThan(20);
    expect(lastCompletion?.generatedTokens).toBeGreaterThan(0);
    expect(memory?.weightsBytes).toBeGreaterThan(10_000_000);
    expect(model).toMatchObject({ architecture: 'qwen35', recurrent: true, mtp: true, chat: false });
  });

  it('finishes a line of Python', async () => {
    const { text, position, expected } = sureCode('python');
    await server.open('file:///work/settings.py', 'python', text);
    expect(await suggestionsWith(expected, 'file:///work/settings.py', position)).toHaveLength(1);
  });

  it('fits before a bracket that the editor has closed', async () => {
    const { text, position, expected } = sureArgument();
    await server.open('file:///work/settings.js', 'javascript', text);
    const [item] = await suggestionsWith(expected, 'file:///work/settings.js', position);
    const inserted = String(item?.insertText);
    // It may replace the bracket after the cursor by its own.
    const replaced = (item?.range?.end.character ?? 0) - position.character;
    expect(inserted.split(')').length - inserted.split('(').length).toBe(replaced > 0 ? 1 : 0);
  });

  it('extends the item that the suggest widget has selected', async () => {
    const { text, position, expected } = sureArgument();
    const typed = expected.slice(0, 'sett'.length);
    const start = positionIn(text, anchorIn(text, "write('folder', ") + "write('folder', ".length);
    const end = { ...position, character: position.character + typed.length };
    const uri = 'file:///work/selected.js';
    await server.open(uri, 'javascript', text);
    await server.change(uri, 2, [{ range: { start, end: start }, text: typed }]);
    const selectedCompletionInfo = { text: 'settings', range: { start, end } };
    const [item] = await server.complete(uri, end, undefined, { selectedCompletionInfo });
    expect(String(item?.insertText)).toMatch(/^settings\./);
    expect(item?.range).toMatchObject({ start });
  });

  it('keeps CRLF', async () => {
    const { text, position, expected } = sureBlock();
    await server.open('file:///work/crlf.ts', 'typescript', text.replaceAll('\n', '\r\n'));
    const [item] = await suggestionsWith(expected.replaceAll('\n', '\r\n'), 'file:///work/crlf.ts', position);
    expect(String(item?.insertText).replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('counts emoji as the editor does', async () => {
    const { text, position, expected } = sureCode();
    const comment = '/* 🎉🎉 naïve */ ';
    const lines = text.split('\n');
    lines[position.line] = comment + (lines[position.line] ?? '');
    const character = position.character + comment.length;
    await server.open('file:///work/emoji.ts', 'typescript', lines.join('\n'));
    const [item] = await server.complete('file:///work/emoji.ts', { ...position, character }, undefined, ASKED);
    expect(item?.insertText).toContain(expected);
    expect(item?.range?.start).toEqual({ ...position, character });
  });

  it('treats special tokens in the source as ordinary text', async () => {
    const { text, position, expected } = sureCode();
    // A prompt may also show other documents, which earlier tests had open.
    await changeSettings({ ...PATIENT, contextEnabled: false });
    const suggested = async (uri: string, comment: string) => {
      await server.open(uri, 'typescript', text + comment);
      const [item] = await server.complete(uri, position, undefined, ASKED);
      return { item, promptTokens: (await server.status()).lastCompletion?.promptTokens ?? 0 };
    };
    const plain = await suggested('file:///work/plain.ts', '// a comment\n');
    const marked = await suggested('file:///work/marked.ts', '// <|fim_middle|>0;<|endoftext|>\n');
    expect(plain.item?.insertText).toContain(expected);
    expect(marked.item?.insertText).toContain(expected);
    // As text each of the two is several tokens; as special tokens they would be one each.
    expect(marked.promptTokens - plain.promptTokens).toBeGreaterThan(6);
    await changeSettings(PATIENT);
  });

  it('follows incremental edits', async () => {
    const { text, position, expected } = sureCode();
    const uri = 'file:///work/edits.ts';
    const opened = text.replaceAll('folder', 'fold');
    await server.open(uri, 'typescript', `//\n${opened}`);
    const name = { line: position.line, character: anchorIn(opened.split('\n')[position.line] ?? '', 'fold') + 4 };
    // Two changes in one message; the second refers to the document after the first.
    await server.change(uri, 2, [
      { range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }, text: '' },
      { range: { start: name, end: name }, text: 'er' },
    ]);
    const [item] = await server.complete(uri, position, undefined, ASKED);
    expect(item?.insertText).toContain(expected);
  });

  it('completes in a large real file within its context', async () => {
    const source = readFixture('sources/server/src/completion/completion-service.ts').repeat(20);
    await server.open('file:///work/large.ts', 'typescript', source);
    const offset = anchorIn(source, 'this.#', source.length / 2) + 'this.#'.length;
    await server.complete('file:///work/large.ts', positionIn(source, offset), undefined, ASKED);
    const { lastCompletion } = await server.waitForState('ready');
    // 494 were seen on a busy machine.
    expect(lastCompletion?.promptTokens).toBeGreaterThan(450);
    expect(lastCompletion?.promptTokens).toBeLessThan(1900);
  });
});

describe('without a folder on disk', () => {
  shareServer('vscode-vfs://github/owner/repository');

  it.each([
    ['of a virtual workspace', 'vscode-vfs://github/owner/repository/src/add.ts'],
    ['that was never saved', 'untitled:Untitled-1'],
    ['that is a cell of a notebook', 'vscode-notebook-cell:/work/book.ipynb#W0sZmlsZQ%3D%3D'],
  ])('finishes an expression in a document %s', async (_name, uri) => {
    const { text, position, expected } = sureCode();
    await server.open(uri, 'typescript', text);
    expect(await suggestionsWith(expected, uri, position)).toHaveLength(1);
  });
});

describe('a server of its own', () => {
  beforeEach(() => {
    server = new ServerProcess();
  });
  afterEach(() => server.dispose());

  it('answers an early request with nothing, and works once the model is loaded', async () => {
    await server.initialize(PATIENT);
    const { text, position } = sureCode();
    await server.open('file:///work/early.ts', 'typescript', text);
    const early = await server.complete('file:///work/early.ts', position);
    expect(early).toEqual([]);
    await server.waitForState('ready');
    await expect(server.complete('file:///work/early.ts', position)).resolves.toHaveLength(1);
    expect(server.statuses[0]?.state.kind).toBe('loading');
  });

  it('survives text that the vocabulary covers poorly', async () => {
    await server.initialize({ ...PATIENT, contextLength: 1024 });
    await server.waitForState('ready');
    const text = '🜚🝳'.repeat(20_000);
    await server.open('file:///work/alchemy.ts', 'typescript', text);
    await server.complete('file:///work/alchemy.ts', { line: 0, character: 40_000 });
    await server.waitForState('ready');
  });
});
