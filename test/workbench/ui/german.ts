import assert from 'node:assert/strict';
import type { Bench } from '../driver/bench.js';

/** In a separate editor, since a window keeps its display language. */
export function testGerman(bench: Bench, vsix: string): void {
  describe('in German', () => {
    before(async () => {
      await bench.install(vsix);
      bench.server.useLanguage('de');
      await bench.open();
    });

    bench.keepEvidenceOfFailures();
    after(() => bench.close());

    it('the status bar and its tooltip are in German', async () => {
      await bench.page.waitForStatus(/^Inkling: Bereit$/, 60_000);
      // This editor's settings ask for numbers.
      assert.match(await bench.page.statusItem.innerText(), /^\s*Bereit \d+,\d \/ \d+,\d GB\s*$/);
      const { text: tooltip } = await bench.page.statusTooltip();
      for (const expected of ['Modell', 'Budget', 'Warum kein Vorschlag?', 'Stummschalten']) {
        assert.ok(tooltip.includes(expected), `${tooltip} lacks ${expected}`);
      }
      await bench.screenshot('german-tooltip');
    });

    it('commands, pages and the language server are in German', async () => {
      await bench.page.runCommand('Inkling: Speicher anzeigen');
      const memory = await bench.page.pageWith('#plot');
      await memory.getByRole('heading', { name: 'Verlauf' }).waitFor();
      assert.equal(await memory.locator('html').getAttribute('lang'), 'de');
      await bench.page.runCommand('Inkling: Chat öffnen');
      const chat = await bench.page.pageWith('#transcript');
      await chat.getByText('kann nicht chatten').waitFor();
      await bench.screenshot('german-pages');
    });

    it('the walkthrough is in German', async () => {
      const command = 'Inkling: Erste Schritte';
      await bench.page.runCommand(command);
      if (bench.isOldest) {
        // In its first session that VS Code opens its own one, and ours by the next command.
        await bench.page.page.getByText('Get Started with VS Code for the Web').first().waitFor();
        await bench.page.runCommand(command);
      }
      await bench.page.page.getByText('Nehmen Sie Ihren ersten Vorschlag an').first().waitFor();
      await bench.screenshot('german-walkthrough');
    });
  });
}
