import assert from 'node:assert/strict';
import type { InklingApi } from '../../../extension/src/api.js';
import {
  ACCEPT_ALL,
  ACCEPT_WORD,
  acceptSuggestion,
  activateInkling,
  closeDocument,
  openDocument,
  PYTHON_SAMPLE,
  TYPESCRIPT_SAMPLE,
  type,
  untilState,
} from './inkling.js';

describe('suggestions from the starter model', () => {
  let inkling: InklingApi;

  before(async () => {
    inkling = await activateInkling();
    await untilState(inkling, 'ready');
  });

  afterEach(closeDocument);

  for (const [language, sample] of [
    ['typescript', TYPESCRIPT_SAMPLE],
    ['python', PYTHON_SAMPLE],
  ] as const) {
    it(`completes ${language} and reports that the user accepted it`, async () => {
      const editor = await openDocument(language, sample);
      const inserted = await acceptSuggestion(editor, ACCEPT_ALL);
      assert.notEqual(inserted.trim(), '', 'no suggestion was accepted');
      assert.equal(inkling.lastAccepted()?.kind, 'all');
      assert.ok((inkling.status().lastCompletion?.generatedTokens ?? 0) > 0);
    });
  }

  it('completes while typing', async () => {
    const editor = await openDocument('typescript', TYPESCRIPT_SAMPLE);
    await type('left.y');
    assert.notEqual((await acceptSuggestion(editor, ACCEPT_ALL)).trim(), '');
  });

  it('accepts a word of a suggestion and reports it', async () => {
    const editor = await openDocument('typescript', TYPESCRIPT_SAMPLE);
    const inserted = await acceptSuggestion(editor, ACCEPT_WORD);
    assert.notEqual(inserted.trim(), '', 'no word was accepted');
    const uri = editor.document.uri.toString();
    assert.deepEqual(inkling.lastAccepted(), { kind: 'word', uri, text: inserted });
  });

  it('completes by command in a language that is off', async () => {
    const editor = await openDocument('plaintext', TYPESCRIPT_SAMPLE);
    assert.notEqual(await acceptSuggestion(editor, ACCEPT_ALL), '');
  });
});
