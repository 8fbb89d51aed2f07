import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame, Locator } from 'playwright-core';
import type { MessageToWebview } from '../../../../extension/src/chat/webview/messages.js';
import { writeChatModel } from '../../../support/models/chat-model.js';
import { LISTING } from '../../../support/models/chat-templates.js';
import { type Bench, until } from '../../driver/bench.js';
import { testAnswers, type Watched } from './chat-answers.js';

const ANSWER_TIME_LIMIT_MS = 90_000;

export function testChat(bench: Bench, starterModel: string): void {
  describe('chat', () => {
    let panel: Locator;
    const input = () => panel.getByRole('textbox', { name: 'Question' });
    const chip = (label: string) => panel.locator('#attachments li').filter({ hasText: label });
    /** What the user attached. */
    const chosenChips = () => panel.locator('#attachments li:not(.automatic)');
    const answers = () => panel.locator('.answer:not(.running)');
    const frame = async (): Promise<Frame> => {
      const found = await (await panel.elementHandle())?.ownerFrame();
      assert.ok(found, 'the panel has no frame');
      return found;
    };

    before(() => {
      writeChatModel(starterModel, bench.modelFile('Chatty.gguf'), LISTING);
    });

    it('works with a model that has a template, chosen from the panel', async () => {
      await bench.page.runCommand('Inkling: Open Chat');
      panel = bench.page.panelBody();
      await panel.getByRole('button', { name: 'Choose a model' }).click();
      const list = bench.page.page.locator('.quick-input-widget');
      await list.locator('.monaco-list-row').filter({ hasText: 'Chatty' }).first().click();
      const chosen = await until(() => bench.log().lastStatus()?.model?.name === 'Chatty', 60_000);
      assert.ok(chosen, 'the model was not chosen');
      const ask = panel.getByRole('button', { name: 'Ask' });
      assert.ok(await until(() => ask.isEnabled(), 30_000), 'nothing can be asked');
      await panel.getByRole('button', { name: 'Chatty: choose another model' }).waitFor();
      await panel.locator('#hint').waitFor();
      await bench.screenshot('chat-empty');
    });

    it('follows what the user works on, until the user removes it', async () => {
      const { page } = bench;
      await bench.openCopy('cart.ts', 'followed');
      await panel
        .locator('#attachments li.automatic')
        .filter({ hasText: /^followed\.ts\. Attached automatically: what you work on/ })
        .waitFor();
      await page.press('Shift+ArrowUp');
      await chip('followed.ts:').waitFor();
      await bench.screenshot('chat-followed');
      await chip('followed.ts:').getByRole('button').click();
      await chip('followed.ts').waitFor({ state: 'detached' });
      // Nothing more of this file, but the next one.
      await bench.openCopy('cart.ts', 'next');
      await chip('next.ts').waitFor();
    });

    it('shows no secret file by itself', async () => {
      const folder = path.dirname(await bench.openCopy('cart.ts', 'open'));
      await chip('open.ts').waitFor();
      const secret = path.join(folder, 'server.key');
      writeFileSync(secret, 'nobody may see this\n');
      await bench.page.openFile(secret);
      await panel.locator('#attachments li').waitFor({ state: 'detached' });
    });

    it('reads no large file by itself, and asks the server nothing of it', async () => {
      const folder = path.dirname(await bench.openCopy('cart.ts', 'small'));
      await chip('small.ts').waitFor();
      const large = path.join(folder, 'large.json');
      writeFileSync(large, `{\n${'  "key": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],\n'.repeat(50_000)}  "last": 0\n}\n`);
      await bench.page.openFile(large);
      await panel.locator('#attachments li').waitFor({ state: 'detached' });
      await bench.page.press('End');
      await bench.page.type(' ');
      // The next file's chip comes after the look at this one.
      await bench.openCopy('cart.ts', 'after');
      await chip('after.ts').waitFor();
      assert.ok(!bench.log().says("Sending request 'inkling/mayShow", 'large.json'), 'the large file was sent');
      assert.ok(bench.log().says("Sending request 'inkling/mayShow", 'after.ts'), 'no file was asked about');
      await bench.page.runCommand('File: Save All Files');
    });

    it('answers a question about the selection, by the keyboard alone', async () => {
      const { page } = bench;
      await bench.openCopy('cart.ts', 'chat');
      await page.press('Control+Home');
      for (let line = 0; line < 5; line++) await page.press('Shift+ArrowDown');
      await page.runCommand('Inkling: Attach Selection to Chat');
      await panel.getByText('chat.ts:1-5').waitFor();
      await panel.locator('#input:focus').waitFor();
      await page.type('/expl');
      const hint = panel.getByRole('option', { name: /explain/, selected: true }).locator('.hint');
      assert.equal(await hint.evaluate((each) => getComputedStyle(each).backgroundColor), 'rgba(0, 0, 0, 0)');
      await bench.screenshot('chat-commands');
      await page.press('Enter');
      await page.type('in one sentence');
      await page.press('Enter');
      const hasText = async () => (await panel.locator('.answer').innerText()).trim() !== '';
      const said = await until(hasText, ANSWER_TIME_LIMIT_MS);
      assert.ok(said, 'there is no answer');
      await page.press('Escape');
      await answers().first().waitFor();
      await panel.getByText(/\d+ of \d+ tokens/).waitFor();
      await panel.locator('#hint').waitFor({ state: 'hidden' });
      await bench.screenshot('chat-answer');
    });

    it('has nothing to do while suggestions are made', async () => {
      await bench.openCopy('geometry.ts', 'quiet');
      await chip('quiet.ts').waitFor();
      // The new attachment is measured.
      await delay(2_000);
      const page = await frame();
      await page.evaluate(() => {
        window.addEventListener('message', () => {
          (window as Watched).heard = ((window as Watched).heard ?? 0) + 1;
        });
      });
      await bench.page.type('export function multiply(left: Point, ');
      assert.notEqual((await bench.suggestion()).ghost, '');
      await delay(1_000);
      assert.equal(await page.evaluate(() => (window as Watched).heard ?? 0), 0, 'the page got messages');
      await bench.page.press('Escape');
      await bench.page.runCommand('File: Save All Files');
    });

    it('stops', async () => {
      await (await frame()).evaluate(() => {
        window.addEventListener('message', ({ data }: MessageEvent<MessageToWebview>) => {
          if (data.kind === 'state') (window as Watched).shownState = data.state;
        });
      });
      await input().fill('Write a very long story about a shopping cart.');
      await bench.page.press('Enter');
      await panel.locator('article').nth(1).waitFor();
      await bench.page.press('Escape');
      await panel.locator('.answer.running').waitFor({ state: 'detached' });
      // The pressed button disappears during the answer, and must not take the keyboard focus with it.
      await panel
        .getByRole('button', { name: /^Retry/ })
        .last()
        .click();
      // At once, before the extension says that it runs.
      await bench.page.press('Escape');
      await panel.locator('#input:focus').waitFor();
      await panel.locator('.answer.running').waitFor({ state: 'detached' });
      await bench.page.runCommand('Notifications: Clear All Notifications');
    });

    it('sets the draft aside while a question is edited, and brings it back', async () => {
      await input().fill('Not finished');
      await panel.getByRole('button', { name: 'Edit question 1' }).click();
      await panel.getByRole('button', { name: 'Cancel' }).waitFor();
      assert.ok(await until(async () => (await input().inputValue()).startsWith('/explain')), 'it is not edited');
      await chip('chat.ts:1-5').waitFor();
      await panel.locator('#input:focus').waitFor();
      await bench.page.press('Escape');
      assert.ok(await until(async () => (await input().inputValue()) === 'Not finished'), 'the draft is gone');
      await chip('chat.ts:1-5').waitFor({ state: 'detached' });
      await input().fill('');
    });

    it('shows the name of a file as it is, not as a link', async () => {
      const { page } = bench;
      const folder = path.dirname(await bench.openCopy('cart.ts', 'beside'));
      const file = path.join(folder, '[Show details](command:workbench.action.toggleZenMode).md');
      writeFileSync(file, '');
      await page.openFile(file);
      await page.runCommand('Inkling: Attach File to Chat');
      const notification = page.notification('is empty');
      await notification.getByText('[Show details] (command:').waitFor();
      assert.equal(await notification.getByRole('link').count(), 0);
      await bench.screenshot('notification-file-name');
      await page.runCommand('Notifications: Clear All Notifications');
    });

    it("attaches a dropped file, with the window's name for it", async () => {
      const file = await bench.openCopy('cart.ts', 'dropped');
      const uri = `vscode-remote://${new URL(bench.page.page.url()).host}${file}`;
      // Without the mouse: a drag by a test sends none of the events with which VS Code ends a drag.
      await (await frame()).evaluate((dropped) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('application/vnd.code.uri-list', dropped);
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }, uri);
      await chip('dropped.ts').waitFor();
      await bench.screenshot('chat-dropped');
      await chip('dropped.ts').getByRole('button').click();
      await chip('dropped.ts').waitFor({ state: 'detached' });
      await panel.locator('#input:focus').waitFor();
    });

    it('finds files in any case, none that searches leave out, and lets Enter wait for them', async () => {
      const { page } = bench;
      const folder = path.dirname(await bench.openCopy('cart.ts', 'Found'));
      mkdirSync(path.join(folder, 'node_modules/other'), { recursive: true });
      writeFileSync(path.join(folder, 'node_modules/other/unfound.ts'), '');
      await page.runCommand('Inkling: Open Chat');
      await panel.locator('#input:focus').waitFor();
      // Without a look at the list.
      await page.type('@FOUND.t');
      await page.press('Enter');
      await chosenChips().filter({ hasText: 'Found.ts' }).waitFor();
      assert.equal(await input().inputValue(), '', 'the typed name is not gone');
      await page.type('@found');
      await panel.getByRole('option', { name: /Found\.ts/, selected: true }).waitFor();
      assert.equal(await panel.getByRole('option', { name: /unfound/ }).count(), 0);
      await page.press('Escape');
      await input().fill('');
      await chosenChips().getByRole('button').first().click();
      rmSync(path.join(folder, 'node_modules'), { recursive: true });
    });

    it("attaches the terminal's selection, and leaves the clipboard as it was", async () => {
      const { page } = bench;
      await page.page.evaluate(() => navigator.clipboard.writeText('kept'));
      await page.runCommand('Terminal: Create New Terminal');
      await page.page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
      await page.type('echo inkling-$((40 + 2))');
      await page.press('Enter');
      await page.page.locator('.xterm-rows').filter({ hasText: 'inkling-42' }).waitFor();
      await page.runCommand('Terminal: Select All');
      await page.runCommand('Inkling: Open Chat');
      await panel.locator('#input:focus').waitFor();
      await page.type('@term');
      await panel.getByRole('option', { name: /Terminal selection/, selected: true }).waitFor();
      await page.press('Enter');
      await chosenChips().first().waitFor();
      assert.equal(await input().inputValue(), '', 'the typed name is not gone');
      await bench.screenshot('chat-terminal');
      assert.equal(await page.page.evaluate(() => navigator.clipboard.readText()), 'kept');
      await chosenChips().getByRole('button').first().click();
    });

    it('does not replace a clipboard without text, which may hold an image, before the user agrees', async () => {
      const { page } = bench;
      await page.page.evaluate(() => navigator.clipboard.writeText(''));
      // By keys, like a user: the oldest VS Code moves the focus late, which closes the list of the first key.
      await input().click();
      await page.type('@term');
      await panel.getByRole('option', { name: /Terminal selection/, selected: true }).waitFor();
      await page.press('Enter');
      await page.page.locator('.monaco-dialog-box').filter({ hasText: 'which contains no text now' }).waitFor();
      await bench.screenshot('chat-clipboard-question');
      await page.answerDialog('which contains no text now', 'Cancel');
      await page.notification('Nothing was attached.').waitFor();
      assert.equal(await chosenChips().count(), 0);
      await page.runCommand('Notifications: Clear All Notifications');
      await page.runCommand('Terminal: Kill All Terminals');
    });

    testAnswers(bench, { frame, input, chip, panel: () => panel });

    it('deletes a conversation, and brings it back', async () => {
      const turns = await panel.locator('article').count();
      // The mouse may rest on a tab, whose hover covers the button.
      await input().hover();
      await panel.getByRole('button', { name: 'Delete conversation' }).click();
      const notification = bench.page.notification('Conversation deleted');
      await notification.waitFor();
      await panel.locator('article').first().waitFor({ state: 'detached' });
      await notification.getByRole('button', { name: 'Undo' }).click();
      await panel
        .locator('article')
        .nth(turns - 1)
        .waitFor();
    });

    it("knows the project's rules and prompts, unless they are excluded", async () => {
      const { page } = bench;
      const folder = path.dirname(await bench.openCopy('cart.ts', 'ruled'));
      mkdirSync(path.join(folder, '.inkling/prompts'), { recursive: true });
      writeFileSync(
        path.join(folder, '.inkling/prompts/review.md'),
        '# Review the code\n\nName what is hard to read.\n',
      );
      writeFileSync(path.join(folder, '.inkling/prompts/hidden.md'), `const key = 'ghp_${'a1'.repeat(18)}';\n`);
      writeFileSync(path.join(folder, '.inkling/prompts/Add-tests_2.md'), 'Write tests.\n');
      writeFileSync(path.join(folder, '.inkling/prompts/two words.md'), 'Write two words.\n');
      writeFileSync(path.join(folder, 'AGENTS.md'), 'Answer in one sentence.\n');
      await page.runCommand('Inkling: New Conversation');
      await panel.getByText('follows the rules in AGENTS.md').waitFor();
      await input().fill('/');
      await panel.getByRole('option', { name: /review.*Review the code/ }).waitFor();
      assert.equal(await panel.getByRole('option', { name: /hidden/ }).count(), 0);
      await bench.screenshot('chat-own-prompts');
      // A hyphen, an underscore and capitals are part of a name.
      await input().fill('/add-t');
      await panel.getByRole('option', { name: /Add-tests_2/ }).waitFor();
      assert.ok(bench.log().includes('two words.md is not used'), 'the log does not say what is not used');
      await input().fill('');
      for (const name of ['AGENTS.md', '.inkling']) rmSync(path.join(folder, name), { recursive: true });
      await panel.getByText('follows the rules in AGENTS.md').waitFor({ state: 'detached' });
    });

    it('keeps conversations after the window closes', async () => {
      const { page } = bench;
      await page.runCommand('File: Save All Files');
      await page.reload();
      await page.waitForStatus(/^Inkling: Ready$/, 60_000);
      await page.runCommand('Inkling: Open Chat');
      panel = page.panelBody();
      await panel.getByRole('combobox', { name: 'Conversation' }).selectOption({ label: '/explain in one sentence' });
      await panel.locator('article').nth(1).waitFor();
      await bench.screenshot('chat-restored');
    });
  });
}
