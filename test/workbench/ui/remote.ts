import assert from 'node:assert/strict';
import { RemoteHost } from '../../support/hosts/remote-host.js';
import { type Bench, until } from '../driver/bench.js';

const KEY = 'sk-for-this-host-alone';

export function testRemote(bench: Bench): void {
  describe('a remote server', () => {
    let host: RemoteHost;
    const name = () => `127.0.0.1:${host.port}`;
    const statusOf = (words: string) => new RegExp(`^Inkling: ${words.replaceAll(/[.()]/g, '\\$&')}$`);

    before(async () => {
      host = await RemoteHost.start('openai', { apiKey: KEY });
    });
    after(() => host.stop());

    /** Answers the input that a command opens. */
    const answer = (command: string, title: string, text: string) =>
      bench.page.answerInput(`Inkling: ${command}`, title, text);

    it('gets requests only when the user names it, and requires its key', async () => {
      assert.equal(host.requests.length, 0);
      await answer('Connect to a Remote Server', 'Inkling sends your code there', host.address);
      await bench.page.waitForStatus(/rejected the API key/);
      await bench.screenshot('remote-key-missing');
      assert.ok(host.requests.every(({ headers }) => headers.authorization === undefined));
    });

    it('is named with the model and the memory', async () => {
      await answer('Set Remote API Key', `API key for ${name()}`, KEY);
      await bench.page.waitForStatus(statusOf(`Ready on ${name()}`));
      assert.match(await bench.page.statusItem.innerText(), new RegExp(`Ready on ${name()}`));
      const { text: tooltip } = await bench.page.statusTooltip();
      await bench.screenshot('remote-tooltip');
      for (const expected of [`${name()} (OpenAI-compatible)`, 'MB on this machine']) {
        assert.ok(tooltip.includes(expected), `${JSON.stringify(tooltip)} lacks ${expected}`);
      }
      assert.ok(!/[█░]/.test(tooltip), 'it draws a budget of this machine');
    });

    it('shows in the memory view only local memory', async () => {
      await bench.page.runCommand('Inkling: Show Memory');
      const view = (await bench.page.pageWith('#plot')).locator('body');
      await view.getByText(`the model and its memory are on ${name()}`).waitFor();
      const gone = await until(
        async () => !(await view.getByRole('table', { name: 'Now' }).innerText()).includes('Weights'),
      );
      assert.ok(gone, 'the view shows weights of this machine');
      assert.equal(await view.getByRole('button').count(), 0, 'it offers to give back what is not here');
      await bench.screenshot('remote-memory');
      await bench.page.page.locator('.tab.active').getByRole('button', { name: 'Close' }).click();
    });

    it('suggests, while the key stays out of the log', async () => {
      await bench.openCopy('geometry.ts', 'remote');
      await bench.page.type('export function add(left: number, right: number) { return ');
      const { ghost } = await bench.suggestion();
      assert.ok(ghost.startsWith('left + right'), ghost);
      await bench.screenshot('remote-suggestion');
      assert.ok(!bench.inklingLog().includes(KEY), 'the log holds the key');
    });

    it('is replaced by the local engine when its address is removed', async () => {
      await answer('Connect to a Remote Server', 'Inkling sends your code there', '');
      await bench.page.waitForStatus(/^Inkling: Ready$/);
      assert.match(await bench.page.statusItem.innerText(), /^\s*Ready\s*$/);
    });
  });
}
