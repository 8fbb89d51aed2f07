import assert from 'node:assert/strict';
import { type Bench, until } from '../driver/bench.js';
import { skipBecause } from '../driver/reporter.js';

/** Runs before everything else: the walkthrough opens automatically only on Inkling's first run. */
export function testWalkthrough(bench: Bench): void {
  describe('walkthrough', () => {
    const tab = () => bench.page.page.locator('.tab').filter({ hasText: 'Welcome' });

    it('opens when Inkling is new', async function () {
      // It does not know ours yet when the command comes. Newer ones then wait for it.
      if (bench.isOldest) skipBecause(this, 'the oldest VS Code shows its own walkthrough in its first session');
      await tab().waitFor();
      await bench.page.page.getByText('Get started with Inkling').first().waitFor();
    });

    it('has five steps with pictures, and nothing else greets', async () => {
      const { page } = bench.page;
      if (bench.isOldest) await bench.page.runCommand('Inkling: Get Started');
      // A narrow window shows no pictures.
      await page.setViewportSize({ width: 1600, height: 900 });
      await page.getByText('Get started with Inkling').first().waitFor();
      const titles = await page.locator('.getting-started-step .step-title').allInnerTexts();
      assert.equal(titles.length, 5, titles.join());
      const picture = page.locator('.getting-started-media img').first();
      const isLoaded = () => picture.evaluate((element) => (element as HTMLImageElement).naturalWidth > 0);
      const isThere = await until(isLoaded);
      await bench.screenshot('walkthrough');
      assert.ok(isThere, 'the picture is not there');
      assert.equal(await bench.page.notification('Inkling').count(), 0, 'a notification greets, too');
    });

    it('offers an example, in which a suggestion appears', async () => {
      const { page } = bench.page;
      await page.getByRole('button', { name: 'Try an Example' }).click();
      const { ghost } = await bench.page.waitForGhostText(60_000);
      assert.notEqual(ghost.trim(), '');
      await bench.screenshot('walkthrough-example');
      await bench.page.press('Control+ArrowRight');
      const wasNoticed = () => bench.log().says('Accepted: {', '"kind":"word"');
      assert.ok(await until(wasNoticed), 'the log does not say that a word was accepted');
      await bench.page.runCommand('View: Revert and Close Editor');
    });

    it('marks completed steps', async () => {
      const { page } = bench.page;
      await bench.page.runCommand('Inkling: Get Started');
      const first = page.locator('.getting-started-step').first().getByRole('checkbox');
      const isDone = await until(async () => (await first.getAttribute('aria-checked')) === 'true');
      await bench.screenshot('walkthrough-done');
      assert.ok(isDone, 'the first step is not done');
    });

    it('does not open again', async () => {
      await bench.page.page.setViewportSize({ width: 1280, height: 800 });
      await bench.page.page.locator('.tab.active').getByRole('button', { name: 'Close' }).click();
      await tab().waitFor({ state: 'detached' });
      await bench.page.runCommand('Inkling: Show Statistics');
      const report = bench.page.page.locator('.tab').filter({ hasText: 'Statistics' });
      await report.waitFor();
      const begin = bench.inklingLog().split('\n', 1)[0] ?? '';
      assert.match(begin, /Activated/);
      await bench.page.reload();
      await bench.page.waitForStatus(/^Inkling: Ready$/, 60_000);
      // The file follows the status by a moment.
      const hasItsOwnLog = await until(async () => {
        const log = bench.inklingLog();
        return log !== '' && !log.startsWith(begin);
      });
      assert.ok(hasItsOwnLog, 'the reloaded window has no log');
      // VS Code decides whether to restore an editor that was just closed.
      assert.ok(!bench.inklingLog().includes('for the first time'), 'it was forgotten that Inkling is known');
      assert.equal(await bench.page.notification('Inkling').count(), 0);
      // What a report said is not kept.
      await report.waitFor({ state: 'detached' });
    });

    it('opens by command', async () => {
      await bench.page.runCommand('Inkling: Get Started');
      await tab().waitFor();
      await bench.page.page.locator('.tab.active').getByRole('button', { name: 'Close' }).click();
    });
  });
}
