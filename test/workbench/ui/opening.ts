import assert from 'node:assert/strict';
import type { Bench } from '../driver/bench.js';

const LOAD_TIME_LIMIT_MS = 60_000;

/** These tests come first: the others depend on them. */
export function testOpening(bench: Bench, vsix: string): void {
  describe('opening', () => {
    it('installs the package', async () => {
      await bench.install(vsix);
      assert.match(bench.unpackedExtension, /inkling\.inkling-/);
    });

    it('starts with the editor, loads the starter model and shows it in the status bar', async () => {
      await bench.open();
      await bench.page.waitForStatus(/^Inkling: Ready$/, LOAD_TIME_LIMIT_MS);
      await bench.screenshot('ready');
    });

    it('runs one language server, as a child of the extension host', () => {
      const server = bench.languageServer();
      const hosts = bench.server.processesWith('--type=extensionHost');
      assert.deepEqual(
        hosts.map(({ pid }) => pid),
        [server?.parentPid],
      );
    });
  });
}
