import { basename } from 'node:path';
import { type Browser, chromium, type Frame, type Locator, type Page } from 'playwright-core';

const OPEN_TIME_LIMIT_MS = 90_000;
const ACTION_TIME_LIMIT_MS = 20_000;
const LIST_TIME_LIMIT_MS = 8_000;
/** A late focus has closed a list twice in a row. */
const MOST_REOPENINGS = 3;
const KEY_DELAY_MS = 40;

/** Ids of VS Code's items: `<publisher>.<name>.<id that the extension gave>`. */
const STATUS_ITEM = '[id="inkling.inkling.inkling.status"]';

/** For the page's `logLevel`: makes the log of the output channel `Inkling` hold every message. */
export const INKLING_TRACE = 'inkling.inkling:trace';

/** Names of VS Code's themes, and the class that its window then has. */
export const THEMES = {
  dark: { title: 'Dark Modern', kind: 'vs-dark' },
  light: { title: 'Light Modern', kind: 'vs' },
  'high-contrast-dark': { title: 'Dark High Contrast', kind: 'hc-black' },
  'high-contrast-light': { title: 'Light High Contrast', kind: 'hc-light' },
} as const;

export type ThemeName = keyof typeof THEMES;

/** What the active editor holds and shows, as far as it is on the screen. */
export interface EditorContent {
  /** The document, without ghost text. */
  readonly text: string;
  /** Empty when none is shown. */
  readonly ghost: string;
  /** What the user reads: the document with ghost text in its place. */
  readonly shown: string;
}

export async function launchBrowser(executable: string, home: string): Promise<Browser> {
  return chromium.launch({
    executablePath: executable,
    headless: true,
    env: { ...process.env, HOME: home },
    // code-server.ts ends everything when this process ends.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      // Containers and root have no user namespaces for Chromium's sandbox; the only page is our own editor.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** VS Code's window, with the few gestures that the tests need. */
export class WorkbenchPage {
  readonly statusItem: Locator;
  readonly #editor: Locator;

  private constructor(readonly page: Page) {
    this.statusItem = page.locator(STATUS_ITEM);
    this.#editor = page.locator('.editor-group-container.active .editor-instance .monaco-editor').first();
  }

  /** @param logLevel such as `publisher.name:trace` */
  static async open(browser: Browser, address: string, folder: string, logLevel: string): Promise<WorkbenchPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
    // On a desktop nobody is asked.
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    page.setDefaultTimeout(ACTION_TIME_LIMIT_MS);
    const query = new URLSearchParams({ folder, payload: JSON.stringify([['logLevel', logLevel]]) });
    await page.goto(`http://${address}/?${query}`);
    await page.waitForSelector('.monaco-workbench .part.statusbar .statusbar-item', { timeout: OPEN_TIME_LIMIT_MS });
    return new WorkbenchPage(page);
  }

  /** As *Developer: Reload Window* does. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.page.waitForSelector('.monaco-workbench .part.statusbar .statusbar-item', {
      timeout: OPEN_TIME_LIMIT_MS,
    });
  }

  /** By its absolute path: the list of the workspace's files lags behind the disk. */
  async openFile(file: string): Promise<void> {
    const name = basename(file);
    await this.page.keyboard.press('Control+P');
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(file);
    await this.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name }).waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator('.tab.active').filter({ hasText: name }).waitFor();
    // The tab is there before the editor lets go of the file that it showed, and until then keys and edits go there.
    await this.#editor.and(this.page.locator(`[data-uri$="/${name}"]`)).waitFor();
    await this.#editor.locator('.view-line').first().waitFor();
    await this.page.waitForFunction(() => document.activeElement?.closest('.editor-instance') !== null);
  }

  async runCommand(title: string): Promise<void> {
    await this.#enterCommand(title);
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** Runs a command that opens a list to choose from. @returns the list, once it holds `row` */
  async openList(title: string, row: string): Promise<Locator> {
    const list = this.page.locator('.quick-input-widget');
    const wanted = list.locator('.monaco-list-row').filter({ hasText: row }).first();
    await this.#enterCommand(title);
    for (let again = 0; again < MOST_REOPENINGS; again += 1) {
      const isThere = await wanted.waitFor({ timeout: LIST_TIME_LIMIT_MS }).then(
        () => true,
        () => false,
      );
      if (isThere) return list;
      if (await list.isHidden()) await this.#enterCommand(title);
    }
    await wanted.waitFor();
    return list;
  }

  /** Runs a command that opens an input with a title of its own, and answers it. */
  async answerInput(command: string, title: string, text: string): Promise<void> {
    await this.#enterCommand(command);
    const widget = this.page.locator('.quick-input-widget');
    await widget.filter({ hasText: title }).waitFor();
    await widget.locator('input').fill(text);
    await this.page.keyboard.press('Enter');
    await widget.waitFor({ state: 'hidden' });
  }

  /**
   * Where a webview had the focus before the palette, VS Code gives it back late: some milliseconds after the palette or
   * the list behind it took it, sometimes, which closes them. Who asks for that is not known; a user would open them
   * again.
   */
  async #enterCommand(title: string): Promise<void> {
    const widget = this.page.locator('.quick-input-widget');
    const row = widget.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: title });
    const enter = async (): Promise<void> => {
      await this.page.keyboard.press('F1');
      await widget.locator('input').fill(`>${title}`, { timeout: LIST_TIME_LIMIT_MS });
      await row.waitFor({ timeout: LIST_TIME_LIMIT_MS });
    };
    await enter().catch(async (error: unknown) => {
      if (!(await widget.isHidden())) throw error;
      await enter();
    });
    await this.page.keyboard.press('Enter');
  }

  /** Closes a list without choosing; keys that come before it is gone are lost. */
  async closeList(): Promise<void> {
    await this.press('Escape');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** The newest notification that contains the text. */
  notification(text: string): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text }).first();
  }

  /** Answers a question that blocks the window. */
  async answerDialog(question: string, button: string): Promise<void> {
    const dialog = this.page.locator('.monaco-dialog-box').filter({ hasText: question });
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text, { delay: KEY_DELAY_MS });
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
  }

  /** Saves the active file, so that its exact content can be read from the disk. */
  async save(): Promise<void> {
    await this.page.keyboard.press('Control+S');
    await this.page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
  }

  async content(): Promise<EditorContent> {
    return this.#editor.evaluate((editor) => {
      const inlineGhost = '.ghost-text-decoration, .ghost-text-decoration-preview';
      const withText = (element: Element) => ({
        text: (element.textContent ?? '').replaceAll('\u00a0', ' '),
        top: element.getBoundingClientRect().top,
      });
      const without = (line: Element, selector: string) => {
        const copy = line.cloneNode(true) as Element;
        for (const each of copy.querySelectorAll(selector)) each.remove();
        return { ...withText(line), text: withText(copy).text };
      };
      const read = (lines: { text: string; top: number }[]) =>
        lines
          .sort((a, b) => a.top - b.top)
          .map(({ text }) => text)
          .join('\n');

      const lines = [...editor.querySelectorAll('.view-lines > .view-line')];
      // The lines of a suggestion after its first one stand in a zone between the document's lines, together with
      // what follows the cursor, which is hidden in its old place.
      const zone = [...editor.querySelectorAll('.suggest-preview-text .view-line')].map(withText);
      const inline = [...editor.querySelectorAll(inlineGhost)].map((each) => withText(each).text).join('');
      return {
        text: read(lines.map((line) => without(line, inlineGhost))),
        ghost: [inline, ...zone.map(({ text }) => text)].join('\n'),
        shown: read([...lines.map((line) => without(line, '.ghost-text-hidden')), ...zone]),
      };
    });
  }

  async waitForGhostText(timeout = ACTION_TIME_LIMIT_MS): Promise<EditorContent> {
    await this.#ghostText().first().waitFor({ timeout });
    return this.content();
  }

  async waitForNoGhostText(): Promise<void> {
    await this.#ghostText().first().waitFor({ state: 'detached' });
  }

  /** By what a screen reader is told, such as `Inkling: Ready`. */
  async waitForStatus(label: RegExp, timeout = ACTION_TIME_LIMIT_MS): Promise<void> {
    await this.statusItem.and(this.page.getByLabel(label)).waitFor({ timeout });
  }

  /** Hovers until it is read: where the item changes meanwhile, its tooltip goes and waits for the mouse to move. */
  async statusTooltip(): Promise<string> {
    const tooltip = this.page.locator('.workbench-hover:visible');
    const read = async (): Promise<string> => {
      await this.statusItem.hover();
      await tooltip.waitFor({ timeout: LIST_TIME_LIMIT_MS });
      return tooltip.innerText({ timeout: LIST_TIME_LIMIT_MS });
    };
    const text = await read().catch(async () => {
      await this.page.mouse.move(0, 0);
      return read();
    });
    return text.replaceAll('\u00a0', ' ');
  }

  /** @returns the body of the page inside the first webview of the view container */
  async openPanel(title: string): Promise<Locator> {
    await this.page.locator(`.activitybar .action-item a[aria-label^="${title}"]`).first().click();
    return this.panelBody();
  }

  /** The body of the page inside the first webview. */
  panelBody(): Locator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('body');
  }

  async useTheme(name: ThemeName): Promise<void> {
    const { title, kind } = THEMES[name];
    const window = this.page.locator(`.monaco-workbench.${kind}`);
    // Choosing what is chosen already changes nothing that could be awaited, and closes the next list.
    if ((await window.count()) > 0) return;
    await this.press('Control+K');
    await this.press('Control+T');
    // Before it is wholly there, the list forgets what is typed.
    await this.page.locator('.quick-input-list .focused').first().waitFor();
    await this.page.locator('.quick-input-widget input').fill(title);
    await this.page.locator('.quick-input-list .focused').filter({ hasText: title }).waitFor();
    await this.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await window.waitFor();
  }

  /** Of the webviews that can be seen, the page that has such an element. */
  async pageWith(selector: string): Promise<Frame> {
    const deadline = Date.now() + ACTION_TIME_LIMIT_MS;
    for (;;) {
      for (const frame of this.page.frames()) {
        // A frame may go away while it is asked.
        const element = await frame.$(selector).catch(() => null);
        if (element !== null && (await element.isVisible())) return frame;
      }
      if (Date.now() > deadline) throw new Error(`no page shows ${selector}`);
      await this.page.waitForTimeout(50);
    }
  }

  async screenshot(file: string): Promise<void> {
    await this.page.screenshot({ path: file, animations: 'disabled' });
  }

  #ghostText(): Locator {
    return this.#editor.locator('.ghost-text-decoration, .ghost-text-decoration-preview');
  }
}
