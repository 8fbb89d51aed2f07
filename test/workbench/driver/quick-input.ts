import type { Locator, Page } from 'playwright-core';

/** After this time without what was expected, a list is looked at, and opened again if it is closed. */
const LIST_STEP_MS = 1_000;

/** VS Code's lists and inputs at the top of the window. */
export class QuickInput {
  readonly widget: Locator;
  readonly #page: Page;
  readonly #timeLimitMs: number;

  constructor(page: Page, timeLimitMs: number) {
    this.#page = page;
    this.#timeLimitMs = timeLimitMs;
    this.widget = page.locator('.quick-input-widget');
  }

  /**
   * Opens a list or an input, and does with it what `use` does, which may be repeated.
   * If a webview had the focus before, VS Code sometimes returns it late, some milliseconds after the list took it,
   * which closes the list; it may do so several times. The cause is unknown; a user would open the list again.
   * A list may also lose text that is entered before it is completely open.
   */
  async open(open: () => Promise<void>, use: (timeout: number) => Promise<void>, step: number): Promise<void> {
    await open();
    for (let timeout = step; ; timeout *= 2) {
      try {
        return await use(timeout);
      } catch (error) {
        if (timeout > this.#timeLimitMs / 2) throw error;
      }
      if (await this.widget.isHidden()) await open();
    }
  }

  /** Opens a list, filters it with `text`, and chooses its first row, which must contain `row`. */
  async choose(open: () => Promise<void>, text: string, row: string): Promise<void> {
    const first = this.widget.locator('.quick-input-list .monaco-list-row.focused');
    await this.open(
      open,
      async (timeout) => {
        await this.widget.locator('input').fill(text, { timeout });
        await first.filter({ hasText: row }).waitFor({ timeout });
      },
      LIST_STEP_MS,
    );
    await this.#page.keyboard.press('Enter');
  }

  /** Closes a list without choosing. Waits for its end, since keys before that are lost. */
  async close(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.widget.waitFor({ state: 'hidden' });
  }
}
