import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelServer } from '../../support/hosts/model-server.js';
import { CHATML } from '../../support/models/chat-templates.js';
import { parseGguf, serializeGguf } from '../../support/models/gguf.js';
import { writeScriptedModel } from '../../support/models/scripted-model.js';
import { tinyGguf } from '../../support/models/tiny-gguf.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';
import { type Bench, until } from '../driver/bench.js';
import { sendSignal, waitForEnd } from '../driver/processes.js';

const COMMAND = 'Inkling: Choose Model';
const REPOSITORY = 'inkling/seed-GGUF';
const FILE = 'seed-Q4_K_M.gguf';
const FILE_PATH = `/${REPOSITORY}/resolve/main/${FILE}`;
const COPY_NAME = 'Downloaded Seed';
const DOWNLOAD_ITEM = '[id="inkling.inkling.inkling.download"]';

/** A model with a chat template, but without tokens to fill in the middle. */
const CHAT_ONLY_FILE = 'talk-Q8_0.gguf';

/** What the panel offers on a machine without a chat model. */
const OFFERED_REPOSITORY = 'bartowski/Qwen2.5-Coder-1.5B-Instruct-GGUF';
const OFFERED_FILE = 'Qwen2.5-Coder-1.5B-Instruct-Q4_K_M.gguf';
const OFFERED_NAME = 'Qwen2.5-Coder 1.5B Instruct';

/** Slow enough to be watched and paused. */
const BYTES_PER_SECOND = 6e6;
/** Slow enough to outlast the restarts of an extension host and of a language server. */
const SLOW_BYTES_PER_SECOND = 0.3e6;

export function testModels(bench: Bench, repository: ModelServer, starterModel: string): void {
  describe('models', () => {
    before(() => {
      const starter = parseGguf(readFileSync(starterModel));
      const metadata = new Map(starter.metadata).set('general.name', { type: 8, value: COPY_NAME });
      repository.addRepository(REPOSITORY, { [FILE]: serializeGguf({ ...starter, metadata }) });
      repository.addRepository('inkling/talk-GGUF', { [CHAT_ONLY_FILE]: chatOnlyModel() });
      repository.addRepository(OFFERED_REPOSITORY, { [OFFERED_FILE]: chatOnlyModel() });
      repository.addRepository('inkling/chat-GGUF', { 'chat-Q8_0.gguf': tinyGguf({ tokens: ['a'] }) });
      const slow = { kind: 'slow', bytesPerSecond: BYTES_PER_SECOND } as const;
      repository.trouble(FILE_PATH, slow, slow, { ...slow, bytesPerSecond: SLOW_BYTES_PER_SECOND });
    });

    it('are offered with their needs and capabilities, the recommended one first', async () => {
      const list = await bench.page.openList(COMMAND, 'in use');
      await bench.screenshot('model-picker');
      const text = (await list.innerText()).replaceAll('\u00a0', ' ');
      for (const expected of ['Recommended', 'Qwen2.5-Coder', 'FIM', 'in use', 'Choose a model · ']) {
        assert.ok(text.includes(expected), `${JSON.stringify(text)} lacks ${expected}`);
      }
      await bench.page.press('Escape');
    });

    it('say how fast they would be here, soon after the start and without a file', async () => {
      await bench.measured();
      const list = await bench.page.openList(COMMAND, 'in use');
      const text = (await list.innerText()).replaceAll('\u00a0', ' ');
      await bench.screenshot('model-speeds');
      await bench.page.quickInput.close();
      assert.match(text, /suggestions · (?:slow here: )?about [\d.]+ tokens\/s · needs [\d.]+ [MG]B/);
      assert.match(text, /986 MB download · 1\.5B · Q4_K_M/);
    });

    it('for chat are one click away in the panel, which then says what it can do', async () => {
      const { page } = bench;
      await page.runCommand('Inkling: Open Chat');
      const panel = page.panelBody();
      await panel
        .getByText(
          `${OFFERED_NAME} can, and runs on this machine. It is a download of 986 MB, about 3 min at 50 Mbit/s`,
        )
        .waitFor();
      await bench.screenshotInThemes('chat-download');
      await panel.getByRole('button', { name: `Download ${OFFERED_NAME}` }).click();
      const path = () => bench.log().lastStatus()?.chat?.path ?? '';
      assert.ok(await until(() => path().endsWith(OFFERED_FILE), 60_000), 'it does not chat');
      assert.ok(await until(() => panel.getByRole('button', { name: 'Ask' }).isEnabled()), 'nothing can be asked');
      await panel.getByText('type / to explain, fix, test or document it').waitFor();
      await bench.screenshot('chat-downloaded');
      await page.runCommand('Inkling: Use One Model for Suggestions and Chat');
      assert.ok(await until(() => bench.log().lastStatus()?.chat === null), 'there are still two models');
      // The next one is there already.
      await panel.getByText('can, and is on this machine already').waitFor();
      await bench.screenshot('chat-local');
      await panel.getByRole('button', { name: /^Use / }).click();
      assert.ok(await until(() => path().endsWith(OFFERED_FILE), 60_000), 'it does not chat again');
      await page.runCommand('Inkling: Use One Model for Suggestions and Chat');
      assert.ok(await until(() => bench.log().lastStatus()?.chat === null), 'there are still two models');
      await page.runCommand('View: Show Explorer');
    });

    it('are downloaded with progress, and can be paused', async () => {
      const { page } = bench;
      const list = await page.openList(COMMAND, 'in use');
      await page.type(`${REPOSITORY}:Q4_K_M`);
      await list
        .locator('.monaco-list-row.focused')
        .filter({ hasText: `Download ${REPOSITORY}:Q4_K_M` })
        .waitFor();
      await bench.screenshot('model-reference');
      await page.press('Enter');
      await page.answerDialog('Download seed-Q4_K_M', 'Download');
      await page.notification('MB/s').waitFor();
      await page.page.locator(DOWNLOAD_ITEM).filter({ hasText: '%' }).waitFor();
      await bench.screenshot('model-download');

      await page.notification('Cancel pauses it').getByRole('button', { name: 'Cancel' }).click();
      await page.notification('is paused').waitFor();
      await page.openList(COMMAND, 'Paused. Select to resume.');
      await bench.screenshot('model-download-paused');
      await page.press('Escape');
    });

    it('continue to download after the extension host was killed', async () => {
      const { page, server } = bench;
      await page.notification('is paused').getByRole('button', { name: 'Resume' }).click();
      await page.notification('MB/s').waitFor();
      const [host] = server.processesWith('--type=extensionHost');
      const orphan = bench.languageServer();
      assert.ok(host && orphan, 'there is no extension host or no language server');
      sendSignal(host.pid, 'SIGKILL');
      assert.ok(await until(() => repository.requestsFor(FILE_PATH).length === 3, 30_000), 'it does not go on');
      assert.deepEqual(await waitForEnd([orphan.pid], 10_000), []);
    });

    it('go on to download while the language server is killed and started again', async () => {
      const item = bench.page.page.locator(DOWNLOAD_ITEM);
      const percent = async () => Number.parseInt(/\d+(?=%)/.exec(await item.innerText())?.[0] ?? '', 10);
      assert.ok(await until(() => bench.languageServer() !== undefined, 60_000), 'there is no language server');
      await item.filter({ hasText: '%' }).waitFor();
      const before = await percent();
      const killed = bench.languageServer();
      assert.ok(killed, 'there is no language server');
      sendSignal(killed.pid, 'SIGKILL');
      const isReplaced = () => ![undefined, killed.pid].includes(bench.languageServer()?.pid);
      assert.ok(await until(isReplaced, 60_000), 'no new language server was started');
      assert.ok(await until(async () => (await percent()) > before, 60_000), 'no more bytes came');
      assert.equal(repository.requestsFor(FILE_PATH).length, 3);
    });

    it('continue to download after a reload of the window, and are then used', async () => {
      const { page } = bench;
      await page.reload();
      await page.notification('Downloading').waitFor();
      const arrived = await until(() => bench.log().lastStatus()?.model?.name === COPY_NAME, 60_000);
      assert.ok(arrived, 'the downloaded model is not in use');
      await page.waitForStatus(/^Inkling: Ready$/);
      const starts = repository.requestsFor(FILE_PATH).map(({ headers }) => headers.range ?? 'all');
      assert.equal(starts.length, 4);
      assert.deepEqual(
        starts.map((start) => /^(all|bytes=[1-9]\d*-)$/.test(start)),
        [true, true, true, true],
        String(starts),
      );

      assert.deepEqual([...new Set(repository.tunnels)], ['models.test:80'], 'not all of it came through the proxy');

      await bench.openCopy('geometry.ts', 'downloaded');
      await page.type('export function multiply(left: Point, ');
      assert.notEqual((await bench.suggestion()).ghost, '');
    });

    it('ask for a token if they are gated, which then comes from the secret storage', async () => {
      const { page } = bench;
      repository.token = 'hf_test';
      await page.openList(COMMAND, 'in use');
      await page.type('inkling/chat-GGUF:Q8_0');
      await page.press('Enter');
      await page.notification('restricts access to this model').getByRole('button', { name: 'Enter Token' }).click();
      await page.page.locator('.quick-input-widget').filter({ hasText: 'Access token for models.test' }).waitFor();
      await page.type('hf_test');
      await bench.screenshot('model-token');
      await page.press('Enter');
      await page.page.locator('.monaco-dialog-box').filter({ hasText: 'Download chat-Q8_0' }).waitFor();
      assert.equal(repository.requests.at(-1)?.headers.authorization, 'Bearer hf_test');
      await bench.screenshot('model-confirm');
      await page.answerDialog('Download chat-Q8_0', 'Cancel');
    });

    it('are refused if they cannot be used, with an alternative', async () => {
      const { page } = bench;
      await page.openList(COMMAND, 'in use');
      await page.type('inkling/chat-GGUF:Q8_0');
      await page.press('Enter');
      await page.answerDialog('Download chat-Q8_0', 'Download');
      await page.notification('no fill-in-the-middle tokens').waitFor();
      // Notifications slide in.
      await delay(1_000);
      await bench.screenshot('model-refused');
      assert.ok(!(await page.notification('no fill-in-the-middle tokens').innerText()).includes('would fit'));
      assert.equal(bench.log().lastStatus()?.model?.name, COPY_NAME);
      await page.notification('no fill-in-the-middle tokens').hover();
      await page.notification('no fill-in-the-middle tokens').locator('.codicon-notifications-clear').click();
    });

    it('are downloaded for chat if they can only chat', async () => {
      const { page } = bench;
      await page.openList(COMMAND, 'in use');
      await page.type('inkling/talk-GGUF:Q8_0');
      await page.press('Enter');
      await page.answerDialog(`Download ${CHAT_ONLY_FILE.replace('.gguf', '')}`, 'Download');
      const refused = page.notification('no fill-in-the-middle tokens');
      await refused.getByRole('button', { name: 'Use It for Chat Only' }).waitFor();
      await page.notification('Downloading').waitFor({ state: 'detached' });
      await delay(1_000);
      await bench.screenshot('model-for-chat');
      await refused.getByRole('button', { name: 'Use It for Chat Only' }).click();
      assert.ok(
        await until(() => bench.log().lastStatus()?.chat?.path.endsWith(CHAT_ONLY_FILE) === true),
        'it does not chat',
      );
      assert.equal(bench.log().lastStatus()?.model?.name, COPY_NAME);
      const list = await page.openList(COMMAND, 'in use for chat');
      await list.locator('.monaco-list-row').filter({ hasText: 'in use for chat' }).hover();
      await bench.screenshot('model-picker-chat');
      await page.press('Escape');
      await page.runCommand('Inkling: Use One Model for Suggestions and Chat');
      assert.ok(await until(() => bench.log().lastStatus()?.chat === null), 'there are still two models');
    });

    it('can be changed back to the starter model, and deleted', async () => {
      const { page } = bench;
      const list = await page.openList(COMMAND, COPY_NAME);
      const row = list.locator('.monaco-list-row').filter({ hasText: COPY_NAME }).first();
      await row.hover();
      await row.locator('.codicon-trash').click();
      await page.answerDialog(`Delete ${COPY_NAME}`, 'Delete');
      const back = await until(() => {
        const name = bench.log().lastStatus()?.model?.name;
        return name !== undefined && name !== COPY_NAME;
      }, 30_000);
      assert.ok(back, 'the starter model does not come back');
      await page.waitForStatus(/^Inkling: Ready$/);
    });
  });
}

function chatOnlyModel(): Buffer {
  const folder = new TemporaryFolder();
  try {
    const file = folder.file(CHAT_ONLY_FILE);
    writeScriptedModel(file, { name: 'Talker', template: CHATML, scripts: {} });
    return readFileSync(file);
  } finally {
    folder.dispose();
  }
}
