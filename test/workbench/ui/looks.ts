import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { assertAccessible } from '../driver/accessibility.js';
import { type Bench, until } from '../driver/bench.js';
import { THEMES, type ThemeName } from '../driver/workbench-page.js';
import { showConversation, TROUBLED_CONVERSATION } from './chat/scripted-chat.js';

/** At 200 % a window of this size has half as many pixels in each direction. */
const WINDOW = { width: 1280, height: 800 };

/** The pages, the tooltip and the picker as people see them; test/.output/workbench contains a picture of each. */
export function testLooks(bench: Bench): void {
  describe('looks', () => {
    let chat: Frame;
    let memory: Frame;

    before(async () => {
      await bench.page.runCommand('Inkling: Show Memory');
      memory = await bench.page.pageWith('#plot');
      await bench.page.runCommand('Inkling: Open Chat');
      chat = await bench.page.pageWith('#transcript');
      await memory.locator('#breakdown tr').first().waitFor();
    });

    const look = async (picture: string): Promise<void> => {
      await showConversation(chat, TROUBLED_CONVERSATION);
      await chat.locator('#transcript').evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await bench.screenshot(`${picture}-chat-end`);
      await chat.locator('#transcript').evaluate((element) => element.scrollTo(0, 0));
      await chat.locator('summary').first().click();
      await chat.locator('.chips button').focus();
      await bench.page.press('Tab');
      await bench.screenshot(picture);
      for (const [name, page] of Object.entries({ chat, memory })) {
        await assertAccessible(page, `${name}, ${picture}`);
        assert.deepEqual(await overflowing(page), [], `${name}, ${picture}: wider than the page`);
      }
      assert.ok(await isWithin(chat, '#send'), `${picture}: the button for a question is not within the page`);
      assert.deepEqual(await misplacedBars(memory), [], `${picture}: bars that do not fill their column`);
      await chat.locator('summary').first().click();
    };

    for (const theme of Object.keys(THEMES) as ThemeName[]) {
      it(`are right in the theme ${THEMES[theme].title}`, async () => {
        await bench.page.useTheme(theme);
        await look(`looks-${theme}`);
        await bench.page.page.mouse.move(600, 300);
        await bench.page.statusTooltip();
        await bench.screenshot(`looks-${theme}-tooltip`);
        await bench.page.openStatusMenu();
        await bench.screenshot(`looks-${theme}-menu`);
        await bench.page.quickInput.close();
        await bench.page.openList('Inkling: Choose Model', 'Recommended');
        await bench.screenshot(`looks-${theme}-models`);
        await bench.page.quickInput.close();
      });
    }

    it("are right with the system's forced colours", async () => {
      // The oldest VS Code does not follow the system from the light theme to the dark one.
      await bench.page.useTheme('high-contrast-dark');
      await bench.page.page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
      await look('looks-forced-colors');
      await bench.page.page.emulateMedia({ forcedColors: null, colorScheme: null });
    });

    it('are right at 200 %', async () => {
      await bench.page.useTheme('dark');
      await bench.page.page.setViewportSize({ width: WINDOW.width / 2, height: WINDOW.height / 2 });
      await look('looks-zoomed');
      await showConversation(chat, TROUBLED_CONVERSATION, 0.95);
      await chat.getByText('5837 of 6144 tokens').waitFor();
      assert.ok(
        await isWithin(chat, '#send'),
        'with the size of a long conversation, the button is not within the page',
      );
      await bench.screenshot('looks-zoomed-nearly-full');
      await bench.page.page.mouse.move(300, 100);
      await bench.page.statusTooltip();
      await bench.screenshot('looks-zoomed-tooltip');
      await bench.page.openList('Inkling: Choose Model', 'Recommended');
      await bench.screenshot('looks-zoomed-models');
      await bench.page.quickInput.close();
      await bench.page.page.setViewportSize(WINDOW);
    });

    it('shows the end of an answer also where a notice comes with it', async () => {
      await showConversation(chat, TROUBLED_CONVERSATION);
      const list = chat.locator('#transcript');
      const hidden = () =>
        list.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
      const text = 'There is no model file at /home/somebody/models/talker.gguf. '.repeat(3);
      const notice = { text, isError: false, actionLabel: 'Use one model for both', otherActionLabel: null };
      const state = { ...TROUBLED_CONVERSATION, notice };
      // The notice comes in the frame in which the reader arrives at the end, so before the event of that.
      await list.evaluate(
        (element, data) => {
          element.scrollTo(0, element.scrollHeight);
          window.dispatchEvent(new MessageEvent('message', { data }));
        },
        { kind: 'state', state },
      );
      await chat.getByText('There is no model file').waitFor();
      assert.ok(await until(async () => (await hidden()) < 2), `${await hidden()} pixels are below the end`);
      // Who reads an earlier answer stays there, also where a message comes before the event of that.
      await list.evaluate(
        (element, data) => {
          element.scrollTo(0, 0);
          window.dispatchEvent(new MessageEvent('message', { data }));
        },
        { kind: 'state', state: TROUBLED_CONVERSATION },
      );
      await chat.getByText('There is no model file').waitFor({ state: 'hidden' });
      assert.equal(await list.evaluate(({ scrollTop }) => scrollTop), 0);
    });

    it('has whole times in the narrowest memory view', async () => {
      await bench.page.page.setViewportSize({ width: 520, height: 800 });
      assert.deepEqual(await brokenTimes(memory), []);
      assert.deepEqual(await overflowing(memory), []);
      await bench.screenshot('looks-narrowest');
      await bench.page.page.setViewportSize(WINDOW);
    });

    after(async () => {
      await bench.page.page.locator('.tab.active').getByRole('button', { name: 'Close' }).click();
    });
  });
}

/** Whether all of an element is where the user sees it without scrolling. */
async function isWithin(page: Frame, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= window.innerHeight && right <= window.innerWidth && bottom > top;
  });
}

/** Elements wider than the window, except those that scroll themselves. */
async function overflowing(page: Frame): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 80));
  });
}

/** Times below the plot that need more than two lines, one for the time and one for AM or PM. */
async function brokenTimes(page: Frame): Promise<readonly string[]> {
  return page.evaluate(() => {
    const lineHeight = Number.parseFloat(getComputedStyle(document.body).lineHeight);
    return [...document.querySelectorAll('.times span')]
      .filter((time) => {
        const range = document.createRange();
        range.selectNodeContents(time);
        return range.getBoundingClientRect().height > 2.5 * lineHeight;
      })
      .map(({ textContent }) => textContent ?? '');
  });
}

/** Widths in pixels of bars' rooms that differ from the width of their drawing; none where the bars are hidden. */
async function misplacedBars(page: Frame): Promise<readonly number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.bar')]
      .map((bar) => bar.getBoundingClientRect().width - (bar.firstElementChild?.getBoundingClientRect().width ?? 0))
      .filter((difference) => Math.abs(difference) > 2),
  );
}
