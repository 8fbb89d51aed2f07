import assert from 'node:assert/strict';
import { type Bench, until } from '../driver/bench.js';
import { sendSignal, waitForEnd } from '../driver/processes.js';

const RESTART_TIME_LIMIT_MS = 30_000;
const ORPHAN_TIME_LIMIT_MS = 10_000;

export function testRecovery(bench: Bench): void {
  describe('recovery', () => {
    it('restarts a killed server, and suggests again', async () => {
      const killed = bench.languageServer();
      assert.ok(killed, 'there is no language server');
      sendSignal(killed.pid, 'SIGKILL');
      const replaced = await until(() => {
        const present = bench.languageServer();
        return present !== undefined && present.pid !== killed.pid;
      }, RESTART_TIME_LIMIT_MS);
      assert.ok(replaced, 'no new language server was started');
      await bench.page.waitForStatus(/^Inkling: Ready$/, RESTART_TIME_LIMIT_MS);

      await bench.openCopy('geometry.ts', 'recovery');
      await bench.page.type('export function multiply(');
      assert.notEqual((await bench.suggestion()).ghost, '');
      await bench.screenshot('recovered');
    });
  });
}

/** The last test: it ends the extension host of the others. */
export function testEnd(bench: Bench): void {
  describe('end', () => {
    it('leaves no language server behind when the extension host dies', async () => {
      const server = bench.languageServer();
      const [host] = bench.server.processesWith('--type=extensionHost');
      assert.ok(server && host, 'there is no language server or no extension host');
      sendSignal(host.pid, 'SIGKILL');
      assert.deepEqual(await waitForEnd([server.pid], ORPHAN_TIME_LIMIT_MS), []);
    });
  });
}
