import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { CodeServer, type ExtraSettings, inklingTrace, type Workbench } from './code-server.js';
import type { RunningProcess } from './processes.js';
import { indent } from './reporter.js';
import { type AnsweredItem, applyItem, ServerLog } from './server-log.js';
import { type EditorContent, THEMES, type ThemeName, WorkbenchPage } from './workbench-page.js';

const MEASUREMENT_TIME_LIMIT_MS = 150_000;
const MEASUREMENT_PAUSE_MS = 10_000;
const SUGGESTION_TIME_LIMIT_MS = 45_000;

/** Visible ghost text, with the server's answer that it came from. */
export interface ShownSuggestion extends EditorContent {
  readonly item: AnsweredItem;
}

export interface BenchOptions extends ExtraSettings {
  readonly workbench: Workbench;
  readonly browser: Browser;
  /** Of temporary files. */
  readonly folder: string;
  /** Source files to type in. */
  readonly fixtures: string;
  /** For screenshots. */
  readonly output: string;
}

/** An editor with Inkling and a workspace, shared by all tests of the user interface. */
export class Bench {
  readonly server: CodeServer;
  /** The folder that is open. */
  readonly workspace: string;
  /** Fulfilled once the package is installed. */
  readonly installed: Promise<void>;
  #unpacked: string | undefined;
  #tellInstalled: () => void = () => undefined;
  #opened: WorkbenchPage | undefined;
  readonly #windows: WorkbenchPage[] = [];
  /** Host and port, once the server runs. */
  #address = '';

  readonly #options: BenchOptions;

  constructor(options: BenchOptions) {
    this.#options = options;
    this.server = new CodeServer(options.workbench, path.join(options.folder, 'code-server'), options);
    this.workspace = path.join(options.folder, 'workspace');
    mkdirSync(this.workspace, { recursive: true });
    this.installed = new Promise((resolve) => {
      this.#tellInstalled = resolve;
    });
  }

  get isOldest(): boolean {
    return this.#options.workbench.isOldest;
  }

  /** Settings of the workspace's own file; the editor follows them within a moment. */
  useWorkspaceSettings(settings: Readonly<Record<string, unknown>>): void {
    const folder = path.join(this.workspace, '.vscode');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
  }

  /** The place of a model of that name in LM Studio's folder, where Inkling finds it. */
  modelFile(name: string): string {
    const folder = path.join(this.#options.folder, 'code-server/home/.lmstudio/models/test/test');
    mkdirSync(folder, { recursive: true });
    return path.join(folder, name);
  }

  async install(vsix: string): Promise<void> {
    this.#unpacked = await this.server.install(vsix);
    this.#tellInstalled();
  }

  /** The folder with the unpacked package. */
  get unpackedExtension(): string {
    if (this.#unpacked === undefined) throw new Error('the package was not installed');
    return this.#unpacked;
  }

  async open(): Promise<void> {
    this.#address = await this.server.start();
    this.#opened = await this.#openWindow(this.workspace);
  }

  /** Opens a window with its own folder on the same machine. */
  async openAnotherWindow(): Promise<WorkbenchPage> {
    const folder = path.join(this.#options.folder, 'other-workspace');
    mkdirSync(folder);
    return this.#openWindow(folder);
  }

  async #openWindow(folder: string): Promise<WorkbenchPage> {
    const { browser, workbench } = this.#options;
    const window = await WorkbenchPage.open(browser, this.#address, folder, inklingTrace(workbench));
    this.#windows.push(window);
    return window;
  }

  /** Closes the windows and ends the server. Safe in every state. */
  async close(): Promise<void> {
    this.#opened = undefined;
    for (const window of this.#windows.splice(0)) await window.close();
    await this.server.stop();
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get isInstalled(): boolean {
    return this.#unpacked !== undefined;
  }

  get page(): WorkbenchPage {
    if (this.#opened === undefined) throw new Error('the workbench did not open');
    return this.#opened;
  }

  log(): ServerLog {
    return new ServerLog(this.inklingLog());
  }

  /** The log as a user reads it. */
  inklingLog(): string {
    return this.server.inklingLog();
  }

  /** The language server's process, found in the process tree. */
  languageServer(): RunningProcess | undefined {
    return this.languageServers()[0];
  }

  /** Of all windows. What a server starts itself runs the same program, and may outlive it for a moment. */
  languageServers(): RunningProcess[] {
    const processes = this.server.processesWith(path.join('dist', 'server.js'));
    return processes.filter(({ commandLine }) => commandLine.includes('--node-ipc'));
  }

  /**
   * Opens a fresh copy of a fixture. The cursor goes to the end of the line that `║` ends. The file must be short
   * enough to be visible as a whole.
   *
   * @param place another one for the cursor, such as `3:14`
   * @returns its absolute path
   */
  async openCopy(fixture: string, name: string, place?: string): Promise<string> {
    const [before, after] = readFileSync(path.join(this.#options.fixtures, fixture), 'utf8').split('║\n');
    assert.ok(before !== undefined && after !== undefined, `${fixture} marks no cursor at the end of a line`);
    const copy = path.join(this.workspace, `${name}${path.extname(fixture)}`);
    writeFileSync(copy, `${before}\n${after}`);
    const lines = before.split('\n');
    await this.page.openFile(copy, place ?? `${lines.length}:${(lines.at(-1) ?? '').length + 1}`);
    return copy;
  }

  /** Waits until the editor shows ghost text that equals the server's last answer. */
  async suggestion(): Promise<ShownSuggestion> {
    let content = await this.page.waitForGhostText(SUGGESTION_TIME_LIMIT_MS);
    let item: AnsweredItem | undefined;
    const isWhatTheServerSent = async () => {
      content = await this.page.content();
      item = this.log().lastItem();
      return content.ghost !== '' && item !== undefined && content.shown === applyItem(content.text, item);
    };
    const agreed = await until(isWhatTheServerSent, SUGGESTION_TIME_LIMIT_MS);
    assert.ok(agreed && item !== undefined, `ghost text and answer differ: ${JSON.stringify({ content, item })}`);
    return { ...content, item };
  }

  /** Waits until the server has measured the starter model, which it does while nobody types: the list then says so. */
  async measured(): Promise<void> {
    const isMeasured = async (): Promise<boolean> => {
      const list = await this.page.openList('Inkling: Choose Model', 'in use');
      const text = await list.innerText();
      await this.page.quickInput.close();
      // Opening the list keeps the processor busy, and a measurement that was held up says nothing.
      const isThere = text.includes('tokens/s');
      if (!isThere) await delay(MEASUREMENT_PAUSE_MS);
      return isThere;
    };
    assert.ok(await until(isMeasured, MEASUREMENT_TIME_LIMIT_MS), 'the list says no speed');
  }

  async waitForText(text: string): Promise<void> {
    let content = await this.page.content();
    await until(async () => {
      content = await this.page.content();
      return content.text === text;
    });
    assert.equal(content.text, text);
  }

  /** Lossless, and about half the size. */
  async toWebp(png: Buffer): Promise<Buffer> {
    const page = await this.#options.browser.newPage();
    try {
      const address = await page.evaluate(
        async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode();
          const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
          canvas.getContext('2d')?.drawImage(image, 0, 0);
          return canvas.toDataURL('image/webp', 1);
        },
        `data:image/png;base64,${png.toString('base64')}`,
      );
      return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
    } finally {
      await page.close();
    }
  }

  async screenshot(name: string): Promise<void> {
    await this.page.screenshot(path.join(this.#options.output, `${name}.png`));
  }

  /** After each test that fails in this suite, keeps a picture and both logs, and shows the ends of the logs. */
  keepEvidenceOfFailures(): void {
    const keep = (title: string): Promise<void> => this.#keepEvidence(title);
    afterEach(async function () {
      if (this.currentTest?.state === 'failed') await keep(this.currentTest.title);
    });
  }

  async #keepEvidence(title: string): Promise<void> {
    const name = `failure-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
    const logs = { inkling: this.inklingLog(), 'code-server': this.server.log() };
    for (const [log, text] of Object.entries(logs)) {
      writeFileSync(path.join(this.#options.output, `${name}.${log}.log`), text);
      console.log(`the end of the log of ${log}:\n${indent(text.slice(-2000).trimEnd())}`);
    }
    if (this.isOpen) await this.screenshot(name);
  }

  /** In each theme; the dark one is the usual one. */
  async screenshotInThemes(name: string): Promise<void> {
    await this.screenshot(name);
    for (const theme of Object.keys(THEMES) as ThemeName[]) {
      if (theme === 'dark') continue;
      await this.page.useTheme(theme);
      await this.screenshot(`${name}-${theme}`);
    }
    await this.page.useTheme('dark');
  }
}

/** @returns whether the condition became true in time */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await delay(100);
  }
  return true;
}
