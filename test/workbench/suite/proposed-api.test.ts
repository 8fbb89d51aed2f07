import assert from 'node:assert/strict';
import { type InlineCompletionItemProvider, languages } from 'vscode';

describe('the editor', () => {
  it('refuses proposed API, like the editors of users', () => {
    const provider: InlineCompletionItemProvider & Record<string, unknown> = {
      provideInlineCompletionItems: () => [],
      handleDidShowCompletionItem: () => undefined,
    };
    assert.throws(
      () => languages.registerInlineCompletionItemProvider({ language: 'plaintext' }, provider).dispose(),
      /CANNOT use API proposal/,
    );
  });
});
