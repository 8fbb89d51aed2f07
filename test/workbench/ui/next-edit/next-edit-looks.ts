import assert from 'node:assert/strict';
import type { Bench } from '../../driver/bench.js';
import { THEMES, type ThemeName } from '../../driver/workbench-page.js';
import { NextEditSteps, occurrences } from './next-edit-steps.js';

/** Next edits as people see them; test/.output/workbench contains a picture of each kind. */
export function testNextEditLooks(bench: Bench): void {
  const steps = new NextEditSteps(bench);

  describe('next edits look right', function () {
    steps.allowPauses(this);
    for (const theme of Object.keys(THEMES) as ThemeName[]) {
      it(`in the theme ${THEMES[theme].title}`, async () => {
        await bench.page.useTheme(theme);
        await steps.renameByHand(`rename-${theme}`);
        await steps.waitForHint(/rename to `total`/);
        await bench.screenshot(`next-edit-${theme}-hint`);
        await bench.page.press('Tab');
        await steps.waitFor(({ inserted }) => inserted.length > 0, 'no preview');
        await bench.screenshot(`next-edit-${theme}-replacement`);
        await steps.closeFile();

        await steps.addParameter(`argument-${theme}`);
        await steps.waitForHint(/add `rate`/);
        await bench.page.press('Tab');
        await steps.waitFor(({ inserted }) => inserted.length > 0, 'no preview');
        await bench.screenshot(`next-edit-${theme}-insertion`);
        await steps.closeFile();

        await bench.openCopy('sync.ts', `lines-${theme}`);
        await steps.pressOften('ArrowLeft', 'request(url, 1);'.length);
        await steps.pressOften('Delete', 'request'.length);
        await bench.page.type('retry');
        await bench.page.press('Enter');
        await bench.page.type('  .send');
        await steps.waitForHint(/→ line 8: change 2 lines \(1 more\)$/);
        await bench.page.press('Tab');
        const { images } = await steps.waitFor((edit) => edit.images > 0, 'no preview of lines');
        assert.equal(images, 1);
        await bench.screenshot(`next-edit-${theme}-lines`);
        await bench.page.press('Tab');
        await steps.waitForText((text) => occurrences(text, '.send(url') === 2);
        await steps.closeFile();
      });
    }

    after(async () => bench.page.useTheme('dark'));
  });
}
