import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../driver/bench.js';

const QUIET_MS = 3_000;

export function testStatus(bench: Bench): void {
  describe('status bar', () => {
    it("shows the language server's memory", async () => {
      const text = await bench.page.statusItem.innerText();
      const shown = Number(/^\s*Inkling (\d+\.\d) \/ \d+\.\d GB\s*$/.exec(text)?.[1]);
      const actual = residentGigabytes(bench.languageServer()?.pid);
      assert.ok(Math.abs(shown - actual) <= 0.1, `it shows ${text}, the process has ${actual} GB`);
    });

    it('pauses and resumes suggestions by a command', async () => {
      await bench.page.runCommand('Inkling: Pause or Resume');
      await bench.page.waitForStatus(/^Inkling: Paused$/);
      await bench.openCopy('geometry.ts', 'pause');
      const requests = bench.log().requestCount();
      await bench.page.type('export function multiply(');
      await delay(QUIET_MS);
      assert.equal((await bench.page.content()).ghost, '');
      assert.equal(bench.log().requestCount(), requests, 'the server was asked although Inkling is paused');
      await bench.screenshot('paused');

      await bench.page.runCommand('Inkling: Pause or Resume');
      await bench.page.waitForStatus(/^Inkling: Ready$/);
      await bench.page.type('left: Point, ');
      assert.notEqual((await bench.suggestion()).ghost, '');
      await bench.screenshot('resumed');
    });

    it('says that the model does not know the language of the active editor', async () => {
      await bench.openCopy('Settings.java', 'Settings');
      await bench.page.waitForStatus(
        /^Inkling: The starter model knows TypeScript, JavaScript and Python\. Choose a model for Java$/,
      );
      await bench.page.type('private final String country;');
      await delay(1_500);
      await bench.page.waitForNoGhostText();
      await bench.screenshot('unknown-language');
      await bench.openCopy('geometry.ts', 'known-language');
      await bench.page.waitForStatus(/^Inkling: Ready$/);
    });

    it('explains itself in its tooltip', async () => {
      const model = bench.log().lastStatus()?.model;
      assert.ok(model, 'the server reported no model');
      // After a suggestion, the engine evaluates the next prompt ahead.
      let tooltip = '';
      for (let attempt = 0; attempt < 5 && !tooltip.includes('Inkling Ready'); attempt++) {
        await bench.page.waitForStatus(/^Inkling: Ready$/);
        tooltip = await bench.page.statusTooltip();
      }
      await bench.screenshot('status-tooltip');
      for (const expected of [
        'Inkling Ready',
        model.name,
        model.quantization ?? '',
        'Weights',
        '█',
        'Free caches',
        'Last suggestion',
      ]) {
        assert.ok(tooltip.includes(expected), `${JSON.stringify(tooltip)} lacks ${expected}`);
      }
    });
  });
}

function residentGigabytes(pid: number | undefined): number {
  assert.ok(pid !== undefined, 'there is no language server');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * 1024) / 1e9;
}
