import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RemoteHost } from '../../support/hosts/remote-host.js';
import { type Bench, until } from '../driver/bench.js';

const RULES = 'Answer in the tone of a stranger.';
/** A request begins within half a second of a key, and later on a busy machine. */
const SLOWEST_SEND_MS = 20_000;
/** VS Code makes what asks for suggestions when it is idle, at the latest this long after its first editor. */
const ASKS_AFTER_MS = 6_000;
/** Nothing must be sent for this long. */
const NOT_SENT_MS = 5_000;
const FOLLOWED = 'follows the rules in AGENTS.md';

/** In a separate editor, whose folder nobody has trusted yet. */
export function testTrust(bench: Bench, vsix: string): void {
  describe('a folder that nobody trusts', () => {
    let host: RemoteHost;

    before(async () => {
      host = await RemoteHost.start('openai');
      writeFileSync(path.join(bench.workspace, 'AGENTS.md'), RULES);
      mkdirSync(path.join(bench.workspace, '.inkling/prompts'), { recursive: true });
      writeFileSync(path.join(bench.workspace, '.inkling/prompts/review.md'), '# Review the code\n\nBe brief.\n');
      bench.useWorkspaceSettings({ 'inkling.languages': { '*': true, python: true } });
      await bench.install(vsix);
      await bench.open();
      await bench.page.waitForStatus(/^Inkling: Ready$/, 60_000);
      await bench.page.answerInput(
        'Inkling: Connect to a Remote Server',
        'Inkling sends your code there',
        host.address,
      );
      await bench.page.waitForStatus(/^Inkling: Ready on/);
    });

    bench.keepEvidenceOfFailures();
    after(async () => {
      await bench.close();
      await host.stop();
    });

    /** Types in a new file; whether its text reaches the server in that time. */
    const isSent = async (file: string, text: string, limitMs = SLOWEST_SEND_MS): Promise<boolean> => {
      writeFileSync(path.join(bench.workspace, file), '');
      await bench.page.openFile(path.join(bench.workspace, file));
      const arrives = (withinMs: number): Promise<boolean> =>
        until(async () => JSON.stringify(host.requests.map(({ body }) => body)).includes(text), withinMs);
      await bench.page.type(text);
      let sent = await arrives(Math.min(limitMs, ASKS_AFTER_MS));
      if (!sent && limitMs > ASKS_AFTER_MS) {
        // On a busy machine all keys may have come before that, and then nobody asks until the next one.
        await bench.page.press('Backspace');
        await bench.page.type(text.slice(-1));
        sent = await arrives(limitMs);
      }
      await bench.page.save();
      return sent;
    };

    it('does not turn on a language that the user has turned off, until the user trusts it', async () => {
      assert.ok(await isSent('allowed.ts', 'const allowed = '), 'nothing is sent at all');
      assert.ok(!(await isSent('secret.py', 'secret = ', NOT_SENT_MS)), 'the folder turned on Python');
    });

    it('gives the chat no rules and no prompts, until the user trusts it', async () => {
      const { page } = bench;
      const panel = await page.openPanel('Inkling');
      const question = panel.getByRole('textbox', { name: 'Question' });
      const asked = async (text: string): Promise<string> => {
        host.chatAnswer = ['Yes.'];
        const before = host.bodies('/v1/chat/completions').length;
        await panel.locator('#send:enabled').waitFor();
        await question.fill(text);
        await page.press('Enter');
        assert.ok(await until(async () => host.bodies('/v1/chat/completions').length > before), 'nothing was asked');
        await panel.getByRole('button', { name: 'Ask' }).waitFor();
        return JSON.stringify(host.bodies('/v1/chat/completions').at(-1));
      };
      // An empty conversation says what it follows.
      await question.waitFor();
      assert.equal(await panel.getByText(FOLLOWED).count(), 0);
      const first = await asked('Is this a test?');
      assert.ok(first.includes('Is this a test?') && !first.includes(RULES), first);
      await question.fill('/');
      await panel.getByRole('option', { name: /explain/ }).waitFor();
      assert.equal(await panel.getByRole('option', { name: /review/ }).count(), 0);
      await bench.screenshot('trust-restricted');
      await question.fill('');

      await page.runCommand('Workspaces: Manage Workspace Trust');
      await page.page.getByRole('button', { name: 'Trust', exact: true }).click();
      await page.page.getByText('You trust this folder').waitFor();
      await page.press('Escape');
      assert.ok(await isSent('trusted.py', 'trusted = '), 'the setting of a trusted folder has no effect');
      await page.runCommand('Inkling: New Conversation');
      await panel.getByText(FOLLOWED).waitFor();
      const second = await asked('And now?');
      assert.ok(second.includes(RULES), second);
      await question.fill('/');
      await panel.getByRole('option', { name: /review.*Review the code/ }).waitFor();
    });
  });
}
