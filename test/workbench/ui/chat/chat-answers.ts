import assert from 'node:assert/strict';
import type { Frame, Locator } from 'playwright-core';
import type { PanelState } from '../../../../extension/src/chat/webview/messages.js';
import { type Bench, until } from '../../driver/bench.js';

/** What the tests of the chat add to the page. */
export interface Watched {
  shownState?: PanelState;
  /** How many messages came. */
  heard?: number;
}

const HOSTILE_ANSWER = `<script>window.ran = true</script>
<img src=x onerror="window.ran = true">
![name](https://example.com/pixel.png)
<style>body { display: none }</style>
[run](command:workbench.action.quit) [script](javascript:window.ran=true) [file](file:///etc/passwd)
<command:workbench.action.quit> [page](https://example.com/)

\`\`\`ts"><img src=x onerror="window.ran=true">
const last = 1;
\`\`\``;

/** Puts an answer in place of the shown ones. @returns whether the page shows it */
async function showHostileAnswer(page: Frame): Promise<boolean> {
  return page.evaluate((answer) => {
    if (document.querySelector('.answer')?.textContent?.includes('const last = 1;')) return true;
    const state = (window as Watched).shownState;
    const turns = state?.turns.map((each) => ({ ...each, answer }));
    window.postMessage({ kind: 'state', state: { ...state, turns } }, '*');
    return false;
  }, HOSTILE_ANSWER);
}

/** The open panel with two questions about `chat.ts`, the second one of which the test asked for a long story. */
export interface OpenPanel {
  panel(): Locator;
  frame(): Promise<Frame>;
  input(): Locator;
  chip(label: string): Locator;
}

/** What answers contain, and what their code blocks do. Within the tests of the chat. */
export function testAnswers(bench: Bench, { panel, frame, input, chip }: OpenPanel): void {
  it('shows what an answer contains as text, and runs or loads nothing of it', async () => {
    const page = await frame();
    const shown = await until(() => showHostileAnswer(page), 10_000);
    assert.ok(shown, 'the page did not show the answer');
    const { risky, addresses, ran } = await page.evaluate(() => ({
      risky: document.querySelectorAll(
        '.answer :is(script, img, iframe, style, svg:not(.code-bar svg), form, object, [onerror], [style])',
      ).length,
      addresses: [...document.querySelectorAll('.answer a')].map((link) => link.getAttribute('href')),
      ran: 'ran' in window,
    }));
    assert.deepEqual({ risky, ran }, { risky: 0, ran: false });
    assert.deepEqual([...new Set(addresses)], ['https://example.com/']);
    await bench.screenshot('chat-hostile-answer');
  });

  /**
   * This model's answers are random, so the page gets answers with code in their place. The test then uses one at
   * once, before the extension sends its own state.
   */
  const useCode = async (turn: number, label: string, code = 'const inserted = 1;'): Promise<void> => {
    const page = await frame();
    await page.waitForFunction(
      ([index, name, answered]) => {
        const article = document.querySelectorAll('article')[index];
        // The model's own answer may have a code block too.
        const isReplaced = article?.textContent?.includes(answered) ?? false;
        const button = article?.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`);
        if (isReplaced && button) {
          button.click();
          return true;
        }
        // Again if the extension's state came in between.
        const state = (window as Watched).shownState;
        const turns = state?.turns.map((each) => ({ ...each, answer: `\`\`\`ts\n${answered}\n\`\`\`` }));
        window.postMessage({ kind: 'state', state: { ...state, turns } }, '*');
        return false;
      },
      [turn, label, code] as const,
    );
  };

  it('puts code blocks into the editor', async () => {
    await bench.openCopy('cart.ts', 'insert');
    await useCode(1, 'Insert the code at the cursor');
    const inserted = await until(async () => (await bench.page.content()).text.includes('const inserted = 1;'));
    assert.ok(inserted, 'the code is not in the editor');
    await bench.screenshot('chat-inserted');
  });

  it('asks where code belongs that has no place, and shows it as a change to apply or not', async () => {
    await useCode(0, 'Apply the code to the file');
    const question = bench.page.notification('where the code belongs in chat.ts');
    await bench.screenshot('chat-no-place');
    await question.getByRole('button', { name: 'Replace Selection' }).click();
    const tab = bench.page.page.locator('.tab.active').filter({ hasText: 'proposed change' });
    await tab.waitFor();
    const apply = bench.page.page.locator('.editor-actions a[aria-label*="Apply Proposed Change"]');
    await apply.waitFor();
    await bench.screenshot('chat-proposal');
    await apply.click();
    await tab.waitFor({ state: 'detached' });
    const applied = await until(async () => (await bench.page.content()).text.startsWith('const inserted = 1;'));
    assert.ok(applied, 'the change is not in the file');
  });

  it('puts code where it is declared if the question showed the whole file, and never at the cursor', async () => {
    const { page } = bench;
    await bench.openCopy('cart.ts', 'whole');
    await chip('whole.ts').waitFor();
    await input().fill('Is it empty?');
    await page.press('Enter');
    await panel().locator('article').nth(2).waitFor();
    await page.press('Escape');
    await panel().locator('.answer.running').waitFor({ state: 'detached' });
    await useCode(2, 'Apply the code to the file', 'isEmpty(): boolean {\n  return !this.items.length;\n}');
    const tab = page.page.locator('.tab.active').filter({ hasText: 'proposed change' });
    await tab.waitFor();
    await bench.screenshotInThemes('chat-proposal-by-name');
    await page.page.locator('.editor-actions a[aria-label*="Apply Proposed Change"]').click();
    await tab.waitFor({ state: 'detached' });
    const changed = '  isEmpty(): boolean {\n    return !this.items.length;\n  }\n';
    const applied = await until(async () => (await page.content()).text.includes(changed));
    assert.ok(applied, `the method is not in its place: ${(await page.content()).text}`);
    await useCode(2, 'Apply the code to the file', 'somethingElse(1);');
    const question = page.notification('where the code belongs in whole.ts. Select the lines');
    await question.getByRole('button', { name: 'Open as New File' }).click();
    const opened = await until(async () => (await page.content()).text === 'somethingElse(1);\n');
    assert.ok(opened, 'the code is in no new file');
    await page.runCommand('View: Revert and Close Editor');
  });

  it('says that a file cannot be edited, and keeps the proposed change', async () => {
    const { page } = bench;
    await page.runCommand('File: Set Active Editor Read-only in Session');
    await useCode(2, 'Apply the code to the file', 'isEmpty(): boolean {\n  return true;\n}');
    const tab = page.page.locator('.tab.active').filter({ hasText: 'proposed change' });
    await tab.waitFor();
    await page.page.locator('.editor-actions a[aria-label*="Apply Proposed Change"]').click();
    await page.notification('whole.ts cannot be edited. The proposed change stays open.').waitFor();
    await tab.waitFor();
    await page.runCommand('Notifications: Clear All Notifications');
    await page.page.locator('.editor-actions a[aria-label*="Discard Proposed Change"]').click();
    await tab.waitFor({ state: 'detached' });
    await page.runCommand('File: Set Active Editor Writeable in Session');
  });
}
