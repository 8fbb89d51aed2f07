import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Bench } from '../driver/bench.js';
import type { ThemeName } from '../driver/workbench-page.js';
import { CONVERSATION, showConversation } from './chat/scripted-chat.js';

const THEMES: readonly ThemeName[] = ['dark', 'light'];
const WINDOW = { width: 1280, height: 800 };
/** The driver reads the lines on the screen, and all lines of the example must be there. */
const SMALL_WINDOW = { width: 1140, height: 800 };

/** With what it must show. Other tooltips may be on their way out. */
const TOOLTIP = '.workbench-hover:visible:has-text("Last suggestion")';
const MOST_ATTEMPTS = 5;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The part of the window with all of these; nothing for the whole window. */
function clipOf(boxes: readonly (Box | null)[], window: { readonly width: number; readonly height: number }) {
  const found = boxes.filter((box) => box !== null);
  if (found.length === 0) return {};
  const x = Math.max(0, Math.min(...found.map((box) => box.x)));
  const y = Math.max(0, Math.min(...found.map((box) => box.y)));
  const right = Math.min(window.width, Math.max(...found.map((box) => box.x + box.width)));
  const bottom = Math.min(window.height, Math.max(...found.map((box) => box.y + box.height)));
  return { clip: { x, y, width: right - x, height: bottom - y } };
}

/** The pictures in README and walkthrough: `npm run test:workbench -- --update-screenshots`. */
export function testPictures(bench: Bench, folder: string): void {
  /**
   * Takes a picture of the whole window, or of the part with these elements. All of them must be there before and
   * afterwards, at the same place: a tooltip goes when anything else happens.
   *
   * @param show brings them back
   */
  const keep = async (
    name: string,
    theme: ThemeName,
    selectors: readonly string[] = [],
    show: () => Promise<unknown> = async () => undefined,
  ): Promise<void> => {
    const { page } = bench.page;
    const boxesNow = async (): Promise<readonly (Box | null)[]> => {
      const boxes: (Box | null)[] = [];
      for (const selector of selectors) {
        const element = page.locator(selector).first();
        boxes.push((await element.isVisible()) ? await element.boundingBox() : null);
      }
      return boxes;
    };
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      await show();
      const before = await boxesNow();
      const clip = clipOf(before, page.viewportSize() ?? WINDOW);
      const png = await page.screenshot({ ...clip, animations: 'disabled' });
      if (before.includes(null) || !isDeepStrictEqual(await boxesNow(), before)) continue;
      writeFileSync(path.join(folder, `${name}-${theme}.webp`), await bench.toWebp(png));
      return;
    }
    assert.fail(`the picture ${name} lacks one of ${selectors.join(', ')}`);
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
        await keep('memory', theme, [TOOLTIP, '[id="inkling.inkling.inkling.status"]'], () =>
          bench.page.statusTooltip(),
        );

        await bench.measured();
        await bench.page.openList('Inkling: Choose Model', 'Recommended');
        await keep('models', theme, ['.quick-input-widget']);
        await bench.page.quickInput.close();

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
