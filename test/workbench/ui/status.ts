import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, until } from '../driver/bench.js';

const QUIET_MS = 3_000;

export function testStatus(bench: Bench): void {
  const text = () => bench.page.statusItem.innerText();

  describe('status bar', () => {
    it('shows the drop and the state, without numbers while memory is no matter', async () => {
      await bench.page.waitForStatus(/^Inkling: Ready$/);
      assert.ok(await until(async () => (await text()).trim() === 'Ready'), await text());
      const drop = bench.page.statusItem.locator('.codicon-inkling-drop');
      const { family, content } = await drop.evaluate((icon) => {
        const { fontFamily, content } = getComputedStyle(icon, '::before');
        return { family: fontFamily, content };
      });
      assert.notEqual(family, 'codicon');
      assert.ok(content.includes('\ue000'), content);
      await bench.screenshot('status');
    });

    it('opens a menu with the model, the memory, the reason, the chat and three ways to have less', async () => {
      const model = bench.log().lastStatus()?.model;
      assert.ok(model, 'the server reported no model');
      const menu = await bench.page.openStatusMenu();
      const rows = (await menu.locator('.monaco-list-row').allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
      await bench.screenshot('status-menu');
      for (const expected of [
        model.name,
        'GB budget',
        'Why no suggestion?',
        `${model.name} cannot chat`,
        'Turn off',
        'Snooze',
        'Unload',
      ]) {
        assert.ok(rows.includes(expected), `${JSON.stringify(rows)} lacks ${expected}`);
      }
      const shown = Number(/(\d+\.\d) \/ \d+\.\d GB budget/.exec(rows)?.[1]);
      const actual = residentGigabytes(bench.languageServer()?.pid);
      assert.ok(Math.abs(shown - actual) <= 0.1, `it shows ${shown}, the process has ${actual} GB`);
      await bench.page.quickInput.close();
    });

    it('turns suggestions off and on, by the menu and by a command', async () => {
      await bench.page.chooseInStatusMenu('Turn off');
      await bench.page.waitForStatus(/^Inkling: Off$/);
      assert.equal((await text()).trim(), 'Off');
      await bench.openCopy('geometry.ts', 'off');
      const requests = bench.log().requestCount();
      await bench.page.type('export function multiply(');
      await delay(QUIET_MS);
      assert.equal((await bench.page.content()).ghost, '');
      assert.equal(bench.log().requestCount(), requests, 'the server was asked although Inkling is off');
      await bench.screenshot('off');

      await bench.page.runCommand('Inkling: Turn On or Off');
      await bench.page.waitForStatus(/^Inkling: Ready$/);
      await bench.page.type('left: Point, ');
      assert.notEqual((await bench.suggestion()).ghost, '');
      await bench.screenshot('on-again');
    });

    it('explains the last suggestion in a read-only preview that nobody is asked to save', async () => {
      const reports = bench.page.page.locator('.tab').filter({ hasText: /^(?:Statistics|Why no suggestion)/ });
      try {
        await bench.page.chooseInStatusMenu('Why no suggestion?');
        const report = await bench.page.pageWith('h1:has-text("the last suggestion")');
        assert.ok((await report.locator('table').count()) > 0, 'the tables are not drawn');
        await bench.screenshot('why-no-suggestion');
        await bench.page.runCommand('Inkling: Show Statistics');
        await bench.page.pageWith('h1:has-text("statistics")');
        await bench.screenshot('statistics');
        assert.equal(await reports.and(bench.page.page.locator('.dirty')).count(), 0);
        // The user's editor keeps the keyboard.
        const writes = () => bench.page.page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null);
        assert.ok(await until(writes), 'the keyboard left the editor');
      } finally {
        // The next scenarios know one group of editors.
        while ((await reports.count()) > 0) {
          await reports.first().hover();
          await reports.first().getByRole('button', { name: 'Close' }).click();
          await delay(200);
        }
      }
    });

    it('says that the model does not know the language of the active editor', async () => {
      await bench.openCopy('Settings.java', 'Settings');
      await bench.page.waitForStatus(
        /^Inkling: The starter model knows TypeScript, JavaScript and Python\. Choose a model for Java$/,
      );
      assert.equal((await text()).trim(), 'Unknown language');
      await bench.page.type('private final String country;');
      await delay(1_500);
      await bench.page.waitForNoGhostText();
      await bench.screenshot('unknown-language');
      await bench.openCopy('geometry.ts', 'known-language');
      await bench.page.waitForStatus(/^Inkling: Ready$/);
    });

    it('says in its tooltip the model, the memory with one bar, the last suggestion, and has four links', async () => {
      const model = bench.log().lastStatus()?.model;
      assert.ok(model, 'the server reported no model');
      // After a suggestion, the engine evaluates the next prompt ahead.
      let [tooltip, links]: [string, readonly string[]] = ['', []];
      for (let attempt = 0; attempt < 5 && !tooltip.includes('Inkling Ready'); attempt++) {
        await bench.page.waitForStatus(/^Inkling: Ready$/);
        ({ text: tooltip, links } = await bench.page.statusTooltip());
      }
      await bench.screenshot('status-tooltip');
      for (const expected of ['Inkling Ready', model.name, model.quantization ?? '', 'GB budget', 'Last suggestion']) {
        assert.ok(tooltip.includes(expected), `${JSON.stringify(tooltip)} lacks ${expected}`);
      }
      assert.equal(tooltip.match(/[█░]+/g)?.length, 1, tooltip);
      assert.deepEqual(links, ['Why no suggestion?', 'Memory', 'Choose a model', 'Snooze']);
    });
  });
}

function residentGigabytes(pid: number | undefined): number {
  assert.ok(pid !== undefined, 'there is no language server');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * 1024) / 1e9;
}
