import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Bench, until } from '../driver/bench.js';
import { isRunning, type RunningProcess, sendSignal, waitForEnd } from '../driver/processes.js';

const RESTART_TIME_LIMIT_MS = 30_000;
/** Three heartbeats, the time that a hanging server gets to end in order, and a restart. */
const HANG_TIME_LIMIT_MS = 60_000;
const ORPHAN_TIME_LIMIT_MS = 10_000;

export function testRecovery(bench: Bench): void {
  describe('recovery', () => {
    it('restarts a killed server, and suggests again', async () => {
      const killed = serverProcess(bench);
      sendSignal(killed.pid, 'SIGKILL');
      await untilReplaced(bench, killed.pid, RESTART_TIME_LIMIT_MS);
      await bench.page.waitForStatus(/^Inkling: Ready$/, RESTART_TIME_LIMIT_MS);

      await bench.openCopy('geometry.ts', 'recovery');
      await bench.page.type('export function multiply(');
      assert.notEqual((await bench.suggestion()).ghost, '');
      await bench.screenshot('recovered');
    });

    it('takes every key while the server is killed in the middle of its work', async () => {
      const file = await bench.openCopy('geometry.ts', 'killed-while-typing');
      const killed = serverProcess(bench);
      await bench.page.type('export function neg');
      sendSignal(killed.pid, 'SIGKILL');
      await bench.page.type('ate(');
      await bench.page.save();
      assert.ok(readFileSync(file, 'utf8').includes('export function negate('), 'a key was lost');
      await untilReplaced(bench, killed.pid, RESTART_TIME_LIMIT_MS);
      await bench.page.waitForStatus(/^Inkling: Ready$/, RESTART_TIME_LIMIT_MS);
      await bench.page.type('l');
      assert.notEqual((await bench.suggestion()).ghost, '');
    });
  });
}

export function testHang(bench: Bench): void {
  describe('hang', () => {
    it('ends a server that hangs, and suggests again', async () => {
      const hanging = serverProcess(bench);
      sendSignal(hanging.pid, 'SIGSTOP');
      await untilReplaced(bench, hanging.pid, HANG_TIME_LIMIT_MS);
      assert.equal(isRunning(hanging.pid), false);
      await bench.page.waitForStatus(/^Inkling: Ready$/, RESTART_TIME_LIMIT_MS);
      await bench.openCopy('geometry.ts', 'after-a-hang');
      await bench.page.type('export function divide(');
      assert.notEqual((await bench.suggestion()).ghost, '');
    });
  });
}

/** The last test: it ends the extension host of the others. */
export function testEnd(bench: Bench): void {
  describe('end', () => {
    after(() => bench.close());

    it('leaves no language server behind when the extension host dies', async () => {
      const server = bench.languageServer();
      const [host] = bench.server.processesWith('--type=extensionHost');
      assert.ok(server && host, 'there is no language server or no extension host');
      sendSignal(host.pid, 'SIGKILL');
      assert.deepEqual(await waitForEnd([server.pid], ORPHAN_TIME_LIMIT_MS), []);
    });
  });
}

function serverProcess(bench: Bench): RunningProcess {
  const server = bench.languageServer();
  assert.ok(server, 'there is no language server');
  return server;
}

async function untilReplaced(bench: Bench, pid: number, timeoutMs: number): Promise<void> {
  const isReplaced = () => {
    const present = bench.languageServer();
    return present !== undefined && present.pid !== pid;
  };
  assert.ok(await until(isReplaced, timeoutMs), 'no new language server was started');
}
