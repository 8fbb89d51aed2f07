import assert from 'node:assert/strict';
import { type Bench, until } from '../driver/bench.js';

const TIME_LIMIT_MS = 60_000;

/** In a separate editor: code-server keeps the processes of a closed window for hours. */
export function testWindows(bench: Bench, vsix: string): void {
  describe('several windows', () => {
    before(async () => {
      await bench.install(vsix);
      await bench.open();
      await bench.page.waitForStatus(/^Inkling: Ready$/, TIME_LIMIT_MS);
    });

    bench.keepEvidenceOfFailures();
    after(() => bench.close());

    it('have a server each, share the model, and show the memory of all', async () => {
      const other = await bench.openAnotherWindow();
      await other.waitForStatus(/^Inkling: Ready$/, TIME_LIMIT_MS);
      assert.equal(bench.languageServers().length, 2);
      let guests = 0;
      for (const page of [bench.page, other]) {
        await page.runCommand('Inkling: Show Memory');
        const breakdown = (await page.pageWith('#plot')).locator('#breakdown');
        const isSaid = await until(
          async () => /All windows\s+\d+ MB in 2 servers/.test(await breakdown.innerText()),
          TIME_LIMIT_MS,
        );
        assert.ok(isSaid, await breakdown.innerText());
        guests += /Shared with another window\s+\d+ MB/.test(await breakdown.innerText()) ? 1 : 0;
      }
      assert.equal(guests, 1, 'one window holds the model for both');
      await bench.screenshot('windows');
    });
  });
}
