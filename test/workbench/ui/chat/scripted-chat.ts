import type { Frame } from 'playwright-core';
import type { PanelState } from '../../../../extension/src/chat/webview/messages.js';

const ANSWER = `The method adds up what all items cost: for each one the price times the count. An empty cart gives \`0\`.

Sums of fractions are not exact; where money counts, **count in cents**:

\`\`\`ts
total(): number {
  return this.items.reduce((sum, { cents, count }) => sum + cents * count, 0);
}
\`\`\`
`;

/** A conversation with everything that an answer can contain. */
export const CONVERSATION: PanelState = {
  notice: null,
  canAsk: true,
  hint: 'Ask about your code. The model runs on this machine. Nothing leaves it.',
  modelName: 'Qwen3.5 4B',
  thinking: 'optional',
  think: true,
  conversations: [
    { id: 'one', title: 'What does this do?' },
    { id: 'two', title: '/tests for the cart' },
  ],
  currentId: 'one',
  turns: [
    {
      id: 'first',
      question: 'What does this do, and is it right?',
      attachments: [{ id: 'a', label: 'src/cart.ts:18-24', isAutomatic: false }],
      state: 'complete',
      answer: ANSWER,
      thinking: 'The user asks about the method total.',
      error: null,
      remark: null,
    },
  ],
  attachments: [{ id: 'b', label: 'src/cart.ts', isAutomatic: true }],
  editing: null,
  running: false,
  commands: [],
};

/** The same with errors, and with words wider than the panel. */
export const TROUBLED_CONVERSATION: PanelState = {
  ...CONVERSATION,
  turns: [
    ...CONVERSATION.turns,
    {
      id: 'second',
      question: `/fix ${'an_identifier_without_any_end_'.repeat(6)}`,
      attachments: [{ id: 'c', label: `${'a/deep/folder/'.repeat(9)}file.ts:1-2`, isAutomatic: false }],
      state: 'failed',
      answer: `| part | what it is |\n| --- | --- |\n| \`${'wide'.repeat(30)}\` | [a link](https://example.org) |\n`,
      thinking: '',
      error: 'The language server did not answer. Try again.',
      remark: 'The model left out the 3 oldest questions.',
    },
  ],
};

/**
 * Shows it in the panel's page, which from then on gets no messages of the extension, since those come at any time.
 *
 * @param share of the context that it takes
 */
export async function showConversation(page: Frame, conversation: PanelState, share = 0.05): Promise<void> {
  // A new page first gets the extension's own state.
  await page.locator('#conversations option').first().waitFor({ state: 'attached' });
  const size = { text: `${Math.round(share * 6144)} of 6144 tokens`, share };
  await page.evaluate(
    ([state, measured]) => {
      // The frame around the page passes the extension's messages on by this function of the page's window.
      const silenced: Window & { say?: Window['postMessage'] } = window;
      silenced.say ??= window.postMessage.bind(window);
      window.postMessage = () => undefined;
      silenced.say({ kind: 'size', size: measured }, '*');
      // Last, since the test waits for it.
      silenced.say({ kind: 'state', state }, '*');
    },
    [conversation, size] as const,
  );
  await page
    .locator('article')
    .nth(conversation.turns.length - 1)
    .waitFor();
}
