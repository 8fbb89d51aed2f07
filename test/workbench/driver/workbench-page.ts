import { basename } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Frame, type Locator, type Page } from 'playwright-core';
import { QuickInput } from './quick-input.js';

const OPEN_TIME_LIMIT_MS = 90_000;
const ACTION_TIME_LIMIT_MS = 30_000;
/** For lists that a command opens once it has asked for their rows. */
const ASKED_LIST_STEP_MS = 4_000;
/** VS Code shows a tooltip within half a second of rest. */
const HOVER_STEP_MS = 2_000;
const KEY_DELAY_MS = 40;

/** Ids of VS Code's items: `<publisher>.<name>.<id that the extension gave>`. */
const STATUS_ITEM = '[id="inkling.inkling.inkling.status"]';

/** Names of VS Code's themes, with the class of the window. */
export const THEMES = {
  dark: { title: 'Dark Modern', kind: 'vs-dark' },
  light: { title: 'Light Modern', kind: 'vs' },
  'high-contrast-dark': { title: 'Dark High Contrast', kind: 'hc-black' },
  'high-contrast-light': { title: 'Light High Contrast', kind: 'hc-light' },
} as const;

export type ThemeName = keyof typeof THEMES;

/** The visible content of the active editor. */
export interface EditorContent {
  /** The document, without ghost text. */
  readonly text: string;
  /** Empty when none is shown. */
  readonly ghost: string;
  /** The document with ghost text, as the user sees it. */
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
      // Chromium's sandbox needs user namespaces, which containers and root lack. The only page is our own editor.
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

/** A browser without history for one window of VS Code. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  await context.addInitScript(stopMotion);
  return context;
}

/**
 * Runs in the page. Stops what VS Code moves without end or after each scroll, also with reduced motion: without a GPU,
 * sixty pictures a second cost half a core. The pages of the extension keep their animations.
 */
function stopMotion(): void {
  if (window.top !== window) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`.scrollbar.fade, .wiggle, .codicon-modifier-spin, .progress-bit {
    animation: none !important;
    transition: none !important;
  }`);
  document.adoptedStyleSheets.push(sheet);
}

/** What the status item's hover shows. */
export interface Tooltip {
  readonly text: string;
  readonly links: readonly string[];
}

/** VS Code's window, with the actions that the tests need. */
export class WorkbenchPage {
  readonly statusItem: Locator;
  readonly quickInput: QuickInput;
  readonly #editor: Locator;

  private constructor(readonly page: Page) {
    this.statusItem = page.locator(STATUS_ITEM);
    this.quickInput = new QuickInput(page, ACTION_TIME_LIMIT_MS);
    this.#editor = page.locator('.editor-group-container.active .editor-instance .monaco-editor').first();
  }

  /** @param logLevel such as `publisher.name:trace` */
  static async open(browser: Browser, address: string, folder: string, logLevel: string): Promise<WorkbenchPage> {
    const context = await openContext(browser);
    // A desktop does not ask for this permission.
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    page.setDefaultTimeout(ACTION_TIME_LIMIT_MS);
    const query = new URLSearchParams({ folder, payload: JSON.stringify([['logLevel', logLevel]]) });
    await page.goto(`http://${address}/?${query}`, { timeout: OPEN_TIME_LIMIT_MS });
    await page.waitForSelector('.monaco-workbench .part.statusbar .statusbar-item', { timeout: OPEN_TIME_LIMIT_MS });
    return new WorkbenchPage(page);
  }

  /** Like closing the window. Until then it draws, and takes processor time from others. */
  async close(): Promise<void> {
    await this.page.context().close();
  }

  /** By VS Code's command: a reload by the browser may come before the open files are stored. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load', { timeout: OPEN_TIME_LIMIT_MS });
    await this.#enterCommand('Developer: Reload Window');
    await loaded;
    await this.page.waitForSelector('.monaco-workbench .part.statusbar .statusbar-item', {
      timeout: OPEN_TIME_LIMIT_MS,
    });
  }

  /** @param place of the cursor, such as `3:14`; counted from 1 */
  async openFile(file: string, place?: string): Promise<void> {
    const name = basename(file);
    await this.#openByPath(file, place);
    // The tab appears before the editor shows its file; until then keys and edits go to the former file.
    await this.#editor.and(this.page.locator(`[data-uri$="/${inAddress(name)}"]`)).waitFor();
    await this.#editor.locator('.view-line').first().waitFor();
    await this.page.waitForFunction(() => document.activeElement?.closest('.editor-instance') !== null);
  }

  /** @returns the editors of its cells, once there is one */
  async openNotebook(file: string): Promise<Locator> {
    await this.#openByPath(file);
    const cells = this.page.locator('.notebookOverlay .cell-editor-part .monaco-editor');
    await cells.first().locator('.view-line').first().waitFor();
    return cells;
  }

  /** By absolute path, since the list of workspace files lags after the disk. */
  async #openByPath(file: string, place?: string): Promise<void> {
    const name = basename(file);
    await this.quickInput.choose(
      () => this.page.keyboard.press('Control+P'),
      place === undefined ? file : `${file}:${place}`,
      name,
    );
    await this.page.locator('.tab.active').filter({ hasText: name }).waitFor();
  }

  /** Closes all files, and forgets what was changed in them. */
  async closeAll(): Promise<void> {
    const tabs = this.page.locator('.part.editor .tab');
    for (let left = await tabs.count(); left > 0; left -= 1) await this.runCommand('View: Revert and Close Editor');
  }

  async runCommand(title: string): Promise<void> {
    await this.#enterCommand(title);
    await this.quickInput.widget.waitFor({ state: 'hidden' });
  }

  /**
   * Runs a command that opens a list.
   * @returns the list, once it contains `row`
   */
  async openList(title: string, row: string): Promise<Locator> {
    const list = this.quickInput.widget;
    const wanted = list.locator('.monaco-list-row').filter({ hasText: row }).first();
    await this.quickInput.open(
      () => this.#enterCommand(title),
      (timeout) => wanted.waitFor({ timeout }),
      ASKED_LIST_STEP_MS,
    );
    return list;
  }

  /** Runs a command that opens an input with this title, and answers it. */
  async answerInput(command: string, title: string, text: string): Promise<void> {
    const widget = this.quickInput.widget;
    await this.quickInput.open(
      () => this.#enterCommand(command),
      async (timeout) => {
        await widget.filter({ hasText: title }).waitFor({ timeout });
        await widget.locator('input').fill(text, { timeout });
      },
      ASKED_LIST_STEP_MS,
    );
    await this.page.keyboard.press('Enter');
    await widget.waitFor({ state: 'hidden' });
  }

  #enterCommand(title: string): Promise<void> {
    return this.quickInput.choose(() => this.page.keyboard.press('F1'), `>${title}`, title);
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

  /** Saves the active file, so that its exact content can be read from disk. */
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
      // The later lines of a suggestion are in a zone between the document's lines. The zone also contains the text
      // after the cursor, which is hidden at its old place.
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

  /** By its text for screen readers, such as `Inkling: Ready`. */
  async waitForStatus(label: RegExp, timeout = ACTION_TIME_LIMIT_MS): Promise<void> {
    await this.statusItem.and(this.page.getByLabel(label)).waitFor({ timeout });
  }

  /** Opens the menu of the status bar item. */
  async openStatusMenu(): Promise<Locator> {
    const menu = this.quickInput.widget;
    const firstRow = menu.locator('.monaco-list-row').filter({ hasText: 'Model' }).first();
    await this.quickInput.open(
      () => this.statusItem.click(),
      (timeout) => firstRow.waitFor({ timeout }),
      ASKED_LIST_STEP_MS,
    );
    return menu;
  }

  /** Chooses the row with this label in the menu of the status bar item. */
  async chooseInStatusMenu(label: string): Promise<void> {
    const menu = await this.openStatusMenu();
    await menu.locator('.monaco-list-row').filter({ hasText: label }).first().click();
    await menu.waitFor({ state: 'hidden' });
  }

  /** Hovers until the tooltip is read: if the item changes, the tooltip closes until the mouse moves. */
  async statusTooltip(): Promise<Tooltip> {
    const tooltip = this.page.locator('.workbench-hover:visible');
    const read = async (timeout: number): Promise<Tooltip> => {
      await this.statusItem.hover();
      await tooltip.waitFor({ timeout });
      // At once: the next status closes it.
      return tooltip.evaluate(
        (hover: HTMLElement) => ({
          text: hover.innerText.replaceAll('\u00a0', ' '),
          links: [...hover.querySelectorAll('a')].map((link) => link.innerText),
        }),
        null,
        { timeout },
      );
    };
    for (let timeout = HOVER_STEP_MS; ; timeout *= 2) {
      try {
        return await read(timeout);
      } catch (error) {
        if (timeout > ACTION_TIME_LIMIT_MS / 2) throw error;
      }
      await this.page.mouse.move(0, 0);
    }
  }

  /** @returns the body of the page inside the first webview of a view container in the secondary side bar */
  async openPanel(title: string): Promise<Locator> {
    const bar = this.page.locator('.part.auxiliarybar');
    if (!(await bar.isVisible())) await this.press('Control+Alt+B');
    await bar.locator(`.action-item a[aria-label^="${title}"]`).first().click();
    return this.panelBody();
  }

  /** The body of the page inside the first webview. */
  panelBody(): Locator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('body');
  }

  async useTheme(name: ThemeName): Promise<void> {
    const { title, kind } = THEMES[name];
    const window = this.page.locator(`.monaco-workbench.${kind}`);
    // Choosing the current value again would show no change to wait for, and would close the next list.
    if ((await window.count()) > 0) return;
    const open = async (): Promise<void> => {
      await this.press('Control+K');
      await this.press('Control+T');
    };
    await this.quickInput.choose(open, title, title);
    await this.quickInput.widget.waitFor({ state: 'hidden' });
    await window.waitFor();
  }

  /** The page with such an element, among the visible webviews. */
  async pageWith(selector: string): Promise<Frame> {
    const deadline = Date.now() + ACTION_TIME_LIMIT_MS;
    for (;;) {
      for (const frame of this.page.frames()) {
        // A frame may disappear during the query.
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
    // A suggestion that begins on the next line is in the zone alone.
    return this.#editor.locator(
      '.ghost-text-decoration, .ghost-text-decoration-preview, .suggest-preview-text .view-line',
    );
  }
}

/** A file's name as VS Code's addresses have it. */
function inAddress(name: string): string {
  return encodeURIComponent(name).replaceAll(/[()!'*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
