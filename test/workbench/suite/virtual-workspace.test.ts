import assert from 'node:assert/strict';
import {
  type Disposable,
  EventEmitter,
  type FileChangeEvent,
  FileType,
  Selection,
  Uri,
  window,
  workspace,
} from 'vscode';
import {
  ACCEPT_ALL,
  acceptSuggestion,
  activateInkling,
  closeDocument,
  TYPESCRIPT_SAMPLE,
  untilState,
} from './inkling.js';

/** VS Code's own scheme for a repository that is opened without a checkout: nothing is on disk. */
const SCHEME = 'vscode-vfs';

describe('in a virtual file system', () => {
  let provider: Disposable;

  before(async () => {
    await untilState(await activateInkling(), 'ready');
    const content = Buffer.from(TYPESCRIPT_SAMPLE.replace('║', ''));
    const changes = new EventEmitter<FileChangeEvent[]>();
    const refuse = () => {
      throw new Error('This file system is read only.');
    };
    provider = workspace.registerFileSystemProvider(SCHEME, {
      onDidChangeFile: changes.event,
      watch: () => changes,
      stat: () => ({ type: FileType.File, ctime: 0, mtime: 0, size: content.length }),
      readDirectory: () => [],
      readFile: () => content,
      createDirectory: refuse,
      writeFile: () => undefined,
      delete: refuse,
      rename: refuse,
    });
  });

  after(() => provider.dispose());
  afterEach(closeDocument);

  it('completes the document that is open', async () => {
    const document = await workspace.openTextDocument(
      Uri.from({ scheme: SCHEME, authority: 'test', path: '/point.ts' }),
    );
    const editor = await window.showTextDocument(document);
    const cursor = document.positionAt(TYPESCRIPT_SAMPLE.indexOf('║'));
    editor.selection = new Selection(cursor, cursor);
    assert.notEqual((await acceptSuggestion(editor, ACCEPT_ALL)).trim(), '', 'no suggestion was accepted');
  });
});
