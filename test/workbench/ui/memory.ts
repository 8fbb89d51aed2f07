import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Frame, Locator } from 'playwright-core';
import { type Bench, until } from '../driver/bench.js';

/** What axe puts into the page. */
declare const axe: { run(options: unknown): Promise<AxeResults> };

const THEMES = [
  { name: 'Light Modern', kind: 'vs', picture: 'memory-light' },
  { name: 'Dark High Contrast', kind: 'hc-black', picture: 'memory-high-contrast' },
  { name: 'Dark Modern', kind: 'vs-dark', picture: 'memory-dark' },
] as const;

export function testMemory(bench: Bench): void {
  describe('memory view', () => {
    let view: Locator;

    it('draws the last hour and breaks down what is in use now', async () => {
      await bench.page.runCommand('Inkling: Show Memory');
      view = bench.page.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('body');
      await view.getByRole('heading', { name: 'The last hour' }).waitFor();
      const plot = view.getByRole('img', { name: /^Memory in use over the last/ });
      await plot.waitFor();
      assert.ok((await plot.boundingBox())?.height, 'the plot has no height');
      const table = await view.getByRole('table', { name: 'Now' }).innerText();
      for (const expected of ['Weights', 'KV cache', 'Server itself', 'In use']) assert.ok(table.includes(expected));
    });

    it('has no fault that axe can see, in any kind of theme', async () => {
      const frame: Frame | null | undefined = await (await view.elementHandle())?.ownerFrame();
      assert.ok(frame, 'the view has no frame');
      // As an expression of the debugger: the page's own policy lets no other script in.
      await frame.evaluate(readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8'));
      for (const { name, kind, picture } of THEMES) {
        await bench.page.press('Control+K');
        await bench.page.press('Control+T');
        await bench.page.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
        await bench.page.type(name);
        await bench.page.page.locator('.quick-input-list .focused').filter({ hasText: name }).waitFor();
        await bench.page.press('Enter');
        await bench.page.page.locator(`.monaco-workbench.${kind}`).waitFor();
        // A tooltip opens when the mouse comes from elsewhere.
        await bench.page.page.mouse.move(600, 300);
        await bench.page.statusTooltip();
        await bench.screenshot(picture);
        const { violations }: AxeResults = await frame.evaluate(() => axe.run({ resultTypes: ['violations'] }));
        const faults = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
        assert.deepEqual(faults, [], name);
      }
    });

    it('unloads the model, which comes back by the status bar', async () => {
      await view.getByRole('button', { name: 'Unload the model' }).click();
      await bench.page.waitForStatus(/^Inkling: Unloaded$/);
      const gone = await until(async () => !(await view.getByRole('table').innerText()).includes('Weights'));
      assert.ok(gone, 'the view still shows weights');
      await bench.screenshot('memory-unloaded');
      await bench.page.statusItem.click();
      await bench.page.waitForStatus(/^Inkling: Ready$/);
      const back = await until(async () => (await view.getByRole('table').innerText()).includes('Weights'));
      assert.ok(back, 'the view shows no weights');
    });

    it('is told nothing while nobody can see it', async () => {
      await bench.page.page.locator('.tab.active').getByRole('button', { name: 'Close' }).click();
      await bench.page.runCommand('Inkling: Free Caches');
      const samples = () => bench.inklingLog().split("Received notification 'inkling/memory/sample'").length;
      await until(() => false, 2_000);
      const seen = samples();
      assert.ok(seen > 2, 'no sample was ever sent');
      await until(() => false, 5_000);
      assert.equal(samples(), seen);
    });
  });
}
