import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Bench } from '../driver/bench.js';
import type { ThemeName } from '../driver/workbench-page.js';
import { CONVERSATION, showConversation } from './scripted-chat.js';

const THEMES: readonly ThemeName[] = ['dark', 'light'];
const WINDOW = { width: 1280, height: 800 };
/** The driver reads the lines on the screen, and all lines of the example must be there. */
const SMALL_WINDOW = { width: 1140, height: 800 };

/** The pictures in README and walkthrough: `npm run test:workbench -- --update-screenshots`. */
export function testPictures(bench: Bench, folder: string): void {
  /** Takes a picture of the whole window, or of the part with these elements. */
  const keep = async (name: string, theme: ThemeName, selectors: readonly string[] = []): Promise<void> => {
    const { page } = bench.page;
    const boxes = [];
    for (const selector of selectors) boxes.push(await page.locator(selector).first().boundingBox());
    const found = boxes.filter((box) => box !== null);
    const left = Math.min(...found.map(({ x }) => x));
    const top = Math.min(...found.map(({ y }) => y));
    const right = Math.max(...found.map(({ x, width }) => x + width));
    const bottom = Math.max(...found.map(({ y, height }) => y + height));
    const { width, height } = page.viewportSize() ?? WINDOW;
    const x = Math.max(0, left);
    const y = Math.max(0, top);
    const clip = { x, y, width: Math.min(width, right) - x, height: Math.min(height, bottom) - y };
    const png = await page.screenshot(
      found.length === 0 ? { animations: 'disabled' } : { clip, animations: 'disabled' },
    );
    writeFileSync(path.join(folder, `${name}-${theme}.webp`), await bench.toWebp(png));
  };

  describe('pictures', () => {
    before(async () => {
      mkdirSync(folder, { recursive: true });
      await bench.page.page.setViewportSize(SMALL_WINDOW);
    });

    for (const theme of THEMES) {
      it(`are taken in the theme ${theme}`, async () => {
        const { page } = bench.page;
        await bench.page.useTheme(theme);
        await bench.openCopy('cart.ts', 'cart');
        await bench.page.type('findByName(name: string): Item | undefined {');
        await bench.page.press('Enter');
        await bench.suggestion();
        await bench.page.waitForStatus(/^Inkling: Ready$/);
        await keep('ghost-text', theme);

        await bench.page.press('Tab');
        await page.mouse.move(400, 300);
        await bench.page.statusTooltip();
        await keep('memory', theme, ['.workbench-hover:visible', '[id="inkling.inkling.inkling.status"]']);

        await bench.page.openList('Inkling: Choose Model', 'Recommended');
        await keep('models', theme, ['.quick-input-widget']);
        await bench.page.closeList();

        await bench.page.runCommand('Inkling: Open Chat');
        await page.setViewportSize(WINDOW);
        await showConversation(await bench.page.pageWith('#transcript'), CONVERSATION);
        // Only a moment after the pointer has left the status bar does its tooltip go.
        await page.mouse.move(400, 300);
        await page.locator('.workbench-hover:visible').waitFor({ state: 'detached' });
        await keep('chat', theme, ['.part.auxiliarybar']);
        await page.setViewportSize(SMALL_WINDOW);
        await bench.page.runCommand('View: Toggle Secondary Side Bar Visibility');

        await bench.page.runCommand('Preferences: Open Settings (UI)');
        await page.locator('.settings-editor .suggest-input-container').waitFor();
        await bench.page.type('@ext:inkling.inkling');
        // The user's settings do not include a machine's.
        await page.locator('.settings-tabs-widget .action-label').filter({ hasText: 'Remote' }).click();
        await page.locator('.settings-toc-entry').filter({ hasText: 'Memory' }).waitFor();
        await page.locator('.setting-item-label').filter({ hasText: 'Enabled' }).waitFor();
        // The tests change settings of other groups, which a new user has not.
        await page.locator('.settings-toc-entry').filter({ hasText: 'Memory' }).click();
        await page.locator('.setting-item-label').filter({ hasText: 'Unload After' }).waitFor();
        await keep('settings', theme, ['.settings-editor .settings-body']);
        await bench.page.press('Control+W');
        await bench.page.runCommand('File: Revert File');
      });
    }

    after(async () => {
      await bench.page.useTheme('dark');
      await bench.page.page.setViewportSize(WINDOW);
    });
  });
}
