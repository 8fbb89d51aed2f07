import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { type Bench, until } from '../driver/bench.js';

export function testMemory(bench: Bench): void {
  describe('memory view', () => {
    let view: Locator;

    it('draws the memory since the load and lists the memory in use now', async () => {
      await bench.page.runCommand('Inkling: Show Memory');
      view = bench.page.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('body');
      await view.getByRole('heading', { name: 'History' }).waitFor();
      const plot = view.getByRole('img', { name: /^Memory in use over the last/ });
      await plot.waitFor();
      assert.ok((await plot.boundingBox())?.height, 'the plot has no height');
      const table = await view.getByRole('table', { name: 'Now' }).innerText();
      for (const expected of ['Weights', 'KV cache', 'Language server', 'In use']) assert.ok(table.includes(expected));
      const facts = await view.getByRole('table', { name: 'Model and last suggestion' }).innerText();
      assert.ok(facts.includes('Inkling Starter'), facts);
      // The plot begins with the load, after its first two seconds.
      const isFilled = async () => /^M0 /.test((await view.locator('#areas path').first().getAttribute('d')) ?? '');
      assert.ok(await until(isFilled, 20_000), 'the plot begins with an empty time');
      await bench.screenshot('memory');
    });

    it('is little for a server whose threads share their heaps', () => {
      const environment = readFileSync(`/proc/${bench.languageServer()?.pid}/environ`, 'utf8').split('\0');
      assert.ok(environment.includes('MALLOC_ARENA_MAX=2'), 'each thread has a heap of its own');
    });

    it('unloads the model, which the status bar loads again', async () => {
      await view.getByRole('button', { name: 'Unload the model', exact: true }).click();
      await bench.page.waitForStatus(/^Inkling: Unloaded$/);
      const gone = await until(
        async () => !(await view.getByRole('table', { name: 'Now' }).innerText()).includes('Weights'),
      );
      assert.ok(gone, 'the view still shows weights');
      await view.getByRole('button', { name: 'Load the model', exact: true }).waitFor();
      await bench.screenshot('memory-unloaded');
      assert.match(await bench.page.statusItem.innerText(), /Unloaded/);
      await bench.page.chooseInStatusMenu('Load the model');
      await bench.page.waitForStatus(/^Inkling: Ready$/);
      const back = await until(async () =>
        (await view.getByRole('table', { name: 'Now' }).innerText()).includes('Weights'),
      );
      assert.ok(back, 'the view shows no weights');
      await view.getByRole('button', { name: 'Unload the model', exact: true }).click();
      await view.getByRole('button', { name: 'Load the model', exact: true }).click();
      await bench.page.waitForStatus(/^Inkling: Ready$/);
    });

    it('gets no samples while it is hidden', async () => {
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
