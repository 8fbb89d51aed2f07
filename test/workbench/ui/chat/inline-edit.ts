import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RemoteHost } from '../../../support/hosts/remote-host.js';
import { type Bench, until } from '../../driver/bench.js';
import { drawnEdit } from '../../driver/drawn-edit.js';
import { THEMES, type ThemeName } from '../../driver/workbench-page.js';
import { testLastingEdit } from './lasting-edit.js';

const TITLE = 'Inkling sends your code there';
const REWRITTEN = `\`\`\`ts
  isEmpty(): boolean {
    return this.count() === 0;
  }

  findByPrice(price: number): Item | undefined {
    return this.items.find((item) => item.price <= price);
  }
\`\`\``;

/** Edits by a model that answers what the test wants: a server of another program, with the chat of Inkling's own. */
export function testInlineEdit(bench: Bench): void {
  describe('an edit in the editor', () => {
    let host: RemoteHost;
    const text = async () => (await bench.page.content()).text;
    const lens = (label: string) => bench.page.page.locator('.codelens-decoration a').filter({ hasText: label });
    const isGone = async (what: string) => until(async () => !(await text()).includes(what));
    const isThere = async (what: string) => until(async () => (await text()).includes(what));

    /** Selects two methods of the fixture, and presses the keys for an edit. */
    const begin = async (name: string): Promise<void> => {
      const { page } = bench;
      await bench.openCopy('cart.ts', name, '18:1');
      for (let line = 0; line < 7; line++) await page.press('Shift+ArrowDown');
      await page.press('Control+K');
      await page.press('Control+E');
    };
    const edit = async (name: string, request: string): Promise<void> => {
      const { page } = bench;
      await begin(name);
      const input = page.page.locator('.quick-input-widget').filter({ hasText: `Lines 18 to 24 of ${name}.ts` });
      await input.locator('input').fill(request);
      await page.press('Enter');
    };

    before(async () => {
      host = await RemoteHost.start('openai');
      await bench.page.answerInput('Inkling: Connect to a Remote Server', TITLE, host.address);
      await bench.page.waitForStatus(/^Inkling: Ready on/);
    });
    after(async () => {
      await bench.page.answerInput('Inkling: Connect to a Remote Server', TITLE, '');
      await bench.page.waitForStatus(/^Inkling: Ready$/, 60_000);
      await host.stop();
    });

    it('goes into the document with its old lines shown, and is kept or taken back by hunk', async () => {
      host.chatAnswer = [REWRITTEN];
      await edit('edited', 'use a method count');
      await lens('Keep all').waitFor();
      assert.ok(await isThere('return this.count() === 0;'), await text());
      const isOldShown = async () =>
        (await drawnEdit(bench.page.page)).inserted.includes('return this.items.length === 0;');
      assert.ok(await until(isOldShown), 'the old line is not shown');
      await bench.screenshot('inline-edit');
      // The other old line has no room after the new one: the hover has it.
      assert.ok((await drawnEdit(bench.page.page)).inserted.includes('- 1 line'), 'the other old line is not counted');
      await bench.page.page.locator('.view-line').filter({ hasText: 'item.price <= price' }).first().hover();
      await bench.page.page.locator('.monaco-hover').filter({ hasText: 'item.price === price' }).first().waitFor();
      await bench.screenshot('inline-edit-hover');
      await bench.page.page.mouse.move(0, 0);
      const [{ messages } = { messages: [] }] = host.bodies('/v1/chat/completions').slice(-1);
      assert.match(JSON.stringify(messages), /Rewrite the part: use a method count/);
      await lens('Undo').last().click();
      assert.ok(await isGone('item.price <= price'), 'the hunk is still there');
      assert.ok(await isThere('return this.count() === 0;'), 'the other hunk is gone');
      await lens('Keep').first().click();
      await lens('Keep').first().waitFor({ state: 'detached' });
      await bench.page.page.locator('.editor-group-container.active .view-line').first().click();
      // The hunk that was taken back may be a step of its own.
      await bench.page.press('Control+Z');
      if ((await text()).includes('count()')) await bench.page.press('Control+Z');
      assert.ok(await isThere('return this.items.length === 0;'), 'Undo does not take the edit back');
      assert.ok(!(await text()).includes('count()'));
      await bench.page.save();
    });

    for (const theme of (Object.keys(THEMES) as ThemeName[]).filter((each) => each !== 'dark')) {
      it(`shows new lines and old ones in the theme ${THEMES[theme].title}`, async () => {
        await bench.page.useTheme(theme);
        host.chatAnswer = [REWRITTEN];
        await edit(`edited-${theme}`, 'use a method count');
        await lens('Keep all').waitFor();
        const areBothShown = async () => {
          const { inserted } = await drawnEdit(bench.page.page);
          return inserted.includes('return this.items.length === 0;') && (await text()).includes('this.count() === 0');
        };
        assert.ok(await until(areBothShown), await text());
        await bench.screenshot(`inline-edit-${theme}`);
        // The edits before it are due here again; a next edit would be in the way.
        assert.equal((await drawnEdit(bench.page.page)).hint, '');
        await bench.page.runCommand('Inkling: Undo Edit');
        await lens('Keep').first().waitFor({ state: 'detached' });
        await bench.page.useTheme('dark');
      });
    }

    it('goes away with Undo, and with the command that takes it back', async () => {
      await edit('undone', 'use a method count');
      await lens('Keep').first().waitFor();
      await bench.page.press('Control+Z');
      await lens('Keep').first().waitFor({ state: 'detached' });
      assert.ok(!(await text()).includes('count()'));
      await edit('taken-back', 'use a method count');
      await lens('Keep').first().waitFor();
      await bench.page.runCommand('Inkling: Undo Edit');
      assert.ok(await isGone('count()'));
      await lens('Keep').first().waitFor({ state: 'detached' });
    });

    it('keeps its buttons where the file can no longer be edited', async () => {
      const { page } = bench;
      await edit('locked', 'use a method count');
      await lens('Keep all').waitFor();
      await page.runCommand('File: Set Active Editor Read-only in Session');
      await lens('Undo all').click();
      await page.notification('locked.ts cannot be edited').waitFor();
      await lens('Undo all').waitFor();
      assert.ok(await isThere('return this.count() === 0;'), await text());
      await page.runCommand('File: Set Active Editor Writeable in Session');
      await lens('Undo all').click();
      assert.ok(await isGone('count()'), 'it cannot be taken back any more');
      await lens('Keep').first().waitFor({ state: 'detached' });
      await page.runCommand('Notifications: Clear All Notifications');
    });

    const answer = (written: string): void => {
      host.chatAnswer = [written];
    };
    testLastingEdit(bench, REWRITTEN, { answer, edit, lens, isThere, isGone });

    it('leaves whoever types in another file alone', async () => {
      const { page } = bench;
      let release = (): void => undefined;
      host.chatHeld = new Promise((resolve) => {
        release = resolve;
      });
      host.chatAnswer = [REWRITTEN];
      const asked = host.bodies('/v1/chat/completions').length;
      await edit('left', 'use a method count');
      assert.ok(await until(() => host.bodies('/v1/chat/completions').length > asked), 'nothing was asked');
      await bench.openCopy('cart.ts', 'elsewhere');
      await page.press('Control+Home');
      await page.type('// before ');
      release();
      host.chatHeld = null;
      const notification = page.notification('Inkling edited left.ts');
      await notification.waitFor();
      await page.type('and after');
      assert.ok(await isThere('// before and after'), await text());
      assert.ok(!(await text()).includes('this.count()'));
      await bench.screenshot('inline-edit-elsewhere');
      await notification.getByRole('button', { name: 'Show' }).click();
      await lens('Keep all').waitFor();
      assert.ok(await isThere('return this.count() === 0;'), await text());
      await page.runCommand('Inkling: Undo Edit');
      assert.ok(await isGone('count()'));
      await lens('Keep').first().waitFor({ state: 'detached' });
    });

    it('writes a commit message from the changes that may be shown', async () => {
      const { page } = bench;
      const folder = path.dirname(await bench.openCopy('cart.ts', 'committed'));
      const git = (...parameters: readonly string[]) => execFileSync('git', parameters, { cwd: folder });
      git('init', '--quiet');
      try {
        writeFileSync(path.join(folder, 'server.key'), 'nobody may see this\n');
        git('add', 'committed.ts', 'server.key');
        mkdirSync(path.join(folder, '.vscode'), { recursive: true });
        writeFileSync(path.join(folder, '.vscode/settings.json'), '{ "git.enabled": true }\n');
        host.chatAnswer = ['```\nAdd a cart\n```'];
        await page.page.locator('.activitybar a[aria-label^="Source Control"]').click();
        // The buttons of a view are there while the pointer is.
        await page.page.locator('.part.sidebar .scm-view').first().hover();
        await page.page.locator('.part.sidebar a[aria-label*="Write Commit Message"]').first().click();
        await page.page.locator('.scm-editor').getByText('Add a cart').waitFor();
        await bench.screenshotInThemes('commit-message');
        const asked = JSON.stringify(host.bodies('/v1/chat/completions').at(-1));
        assert.match(asked, /committed\.ts/);
        assert.match(asked, /One more file changes/);
        assert.ok(!asked.includes('nobody may see this'), 'a secret file was shown');
      } finally {
        for (const name of ['.git', '.vscode', 'server.key'])
          rmSync(path.join(folder, name), { recursive: true, force: true });
        await page.press('Control+Shift+E');
      }
    });

    it('does nothing while Inkling is off, and offers to turn it on', async () => {
      const asked = host.requests.length;
      await bench.page.runCommand('Inkling: Turn On or Off');
      await bench.page.waitForStatus(/^Inkling: Off$/);
      await begin('off');
      const notification = bench.page.notification('Inkling is off.');
      await notification.waitFor();
      assert.equal(host.requests.length, asked, 'the server was asked although Inkling is off');
      assert.equal(await bench.page.page.locator('.quick-input-widget:visible').count(), 0, 'it asks what to change');
      await notification.getByRole('button', { name: 'Turn On' }).click();
      await bench.page.waitForStatus(/^Inkling: Ready on/);
    });

    it('changes nothing if the answer is no code, or the user cancels', async () => {
      host.chatAnswer = ['I would rather not.'];
      await edit('refused', 'anything');
      await bench.page.notification('answered without code').waitFor();
      await bench.screenshot('inline-edit-refused');
      assert.ok(await isThere('return this.items.length === 0;'));
      host.misbehave('/v1/chat/completions', { kind: 'stall', after: 2 });
      await edit('cancelled', 'anything');
      await bench.page.notification('Inkling edits cancelled.ts').getByRole('button', { name: 'Cancel' }).click();
      const aborted = await until(() => host.requests.at(-1)?.aborted === true);
      assert.ok(aborted, 'the server still answers');
      host.behave();
      await bench.page.runCommand('Notifications: Clear All Notifications');
    });
  });
}
