import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Bench, until } from '../../driver/bench.js';
import { isEmpty } from '../../driver/drawn-edit.js';
import { NextEditSteps, occurrences } from './next-edit-steps.js';

export function testNextEdit(bench: Bench): void {
  const steps = new NextEditSteps(bench);

  describe('next edits', () => {
    it('a rename by hand offers the other five: Tab goes to one, Tab makes it', async () => {
      const file = await steps.renameByHand('rename');
      await steps.waitForHint(/→ line 9: rename to `total` \(4 more\)$/);
      await bench.screenshot('next-edit-1-hint');
      for (let left = 5; left > 0; left--) {
        const before = await steps.waitFor((edit) => !isEmpty(edit), `nothing is drawn with ${left} left`);
        if (before.hint !== '') {
          assert.deepEqual([before.removed, before.inserted], [[], []], 'calm shows no preview elsewhere');
          await bench.page.press('Tab');
        }
        const there = await steps.waitFor(({ hint, inserted }) => hint === '' && inserted.length > 0, 'no preview');
        assert.deepEqual([there.removed, there.inserted], [['amount'], ['total']]);
        assert.equal(occurrences(await steps.text(), 'amount'), left);
        if (left === 5) await bench.screenshot('next-edit-2-there');
        await bench.page.press('Tab');
        await steps.waitForText((text) => occurrences(text, 'amount') === left - 1);
      }
      await steps.staysEmpty();
      await bench.page.save();
      const renamed = readFileSync(file, 'utf8');
      assert.deepEqual([occurrences(renamed, 'total'), occurrences(renamed, 'amount')], [6, 0]);
      await bench.screenshot('next-edit-3-end');

      // One step back, and nothing is offered after it.
      await bench.page.press('Control+Z');
      await steps.waitForText((text) => occurrences(text, 'amount') === 1);
      await steps.staysEmpty();
      assert.equal(occurrences(await steps.text(), 'amount'), 1);
      await steps.closeFile();
    });

    it('an added parameter offers the callers', async () => {
      await steps.addParameter('parameter');
      await steps.waitForHint(/→ line 5: add `rate` \(2 more\)$/);
      await bench.page.press('Tab');
      const there = await steps.waitFor(({ hint, inserted }) => hint === '' && inserted.length > 0, 'no ghost text');
      assert.deepEqual([there.removed, there.inserted], [[], [', rate']]);
      await bench.screenshot('next-edit-4-argument');
      await bench.page.press('Tab');
      await steps.waitForText((text) => text.includes('city = fare(1, rate);'));
      await steps.waitForHint(/→ line 6: add `rate` \(1 more\)$/);
      await steps.closeFile();
    });

    it('goes to another open file that imports the function, and back', async () => {
      await bench.openCopy('night-fare.ts', 'other');
      // Users are only led to files that they have seen.
      const isSeen = () => bench.log().says("Sending notification 'inkling/cursorMoved'", 'other.ts');
      assert.ok(await until(isSeen), 'the server does not know that the user is in the file');
      await steps.addParameter('first');
      for (const line of [5, 6, 7]) {
        await steps.waitForHint(new RegExp(`→ line ${line}: add`));
        await bench.page.press('Tab');
        await steps.waitFor(({ hint, inserted }) => hint === '' && inserted.length > 0, 'no ghost text');
        await bench.page.press('Tab');
      }
      await steps.waitForHint(/→ other\.ts, line 3: add `rate`/);
      await bench.screenshot('next-edit-5-other-file');
      await bench.page.press('Tab');
      await bench.page.page.locator('.tab.active').filter({ hasText: 'other.ts' }).waitFor();
      await steps.waitFor(({ hint, inserted }) => hint === '' && inserted.includes(', rate'), 'no ghost text');
      await bench.page.runCommand('Go Back');
      await bench.page.page.locator('.tab.active').filter({ hasText: 'first.ts' }).waitFor();
      await steps.waitForHint(/→ other\.ts, line 3/);
      await steps.closeFile();
      await steps.closeFile();
    });

    it('passes over a file that cannot be edited, and offers the next one behind it', async () => {
      try {
        // The file that was seen last comes first.
        for (const name of ['free', 'locked']) await bench.openCopy('bridge.ts', name);
        bench.useWorkspaceSettings({ 'files.readonlyInclude': { '**/locked.ts': true } });
        const isSeen = () => bench.log().says("Sending notification 'inkling/cursorMoved'", 'locked.ts');
        assert.ok(await until(isSeen), 'the server does not know that the user is in the file');
        await steps.addParameter('toll', 'toll.ts');
        await steps.waitForHint(/→ free\.ts, line 3: add `rate`$/);
        const isPassedOver = bench.log().says("Sending notification 'inkling/nextEditOutcome'", 'readOnly');
        assert.ok(isPassedOver, 'no edit was announced in the read-only file');
        await bench.screenshot('next-edit-8-behind-read-only');
        await steps.closeFile();
        await steps.pressOften('Control+W', 2);
      } finally {
        bench.useWorkspaceSettings({});
      }
    });

    it('eager shows the new text where it will stand, and the hint, and calm takes it away', async () => {
      await steps.renameByHand('eager');
      await steps.waitForHint(/→ line 9: rename to `total`/);
      assert.deepEqual((await steps.drawn()).inserted, []);
      bench.useWorkspaceSettings({ 'inkling.nextEdit.mode': 'eager' });
      try {
        const eager = await steps.waitFor(({ inserted }) => inserted.length > 0, 'eager shows no preview');
        assert.deepEqual([eager.removed, eager.inserted], [['amount'], ['total']]);
        assert.match(eager.hint, /→ line 9: rename to `total`/);
        await bench.screenshot('next-edit-7-eager');
      } finally {
        bench.useWorkspaceSettings({});
      }
      const calm = await steps.waitFor(({ inserted }) => inserted.length === 0, 'calm shows a preview elsewhere');
      assert.match(calm.hint, /→ line 9/);
      await steps.closeFile();
    });

    it('nothing is offered after an undo', async () => {
      await steps.renameByHand('undone');
      await steps.waitForHint(/rename to `total`/);
      await bench.page.press('Control+Z');
      await steps.waitForNothing();
      await steps.staysEmpty();
      await steps.closeFile();
    });

    it('Tab indents at the start of a line, whatever is offered', async () => {
      await steps.renameByHand('tab');
      await steps.waitForHint(/rename to `total`/);
      await bench.page.press('Home');
      // The editor draws the hint again, without the word Tab.
      await steps.waitFor(({ hint }) => hint.startsWith('→'), 'no hint at the start of a line');
      await bench.page.press('Tab');
      await steps.waitForText((text) => text.includes('\n    let total = 0;'));
      await steps.closeFile();
    });

    it('Escape hides it, and the document is as it was', async () => {
      // Whoever refuses an edit is not offered it again, so no other test has this one.
      await steps.renameByHand('refused', 'refused');
      await steps.waitForHint(/rename to `refused`/);
      const before = await steps.text();
      await bench.page.press('Escape');
      await steps.waitForNothing();
      await steps.staysEmpty();
      assert.equal(await steps.text(), before);
      await steps.closeFile();
    });

    it('another key takes it away, and Tab then writes as ever', async () => {
      await steps.renameByHand('typed');
      await steps.waitForHint(/rename to `total`/);
      await bench.page.press('End');
      await bench.page.page.keyboard.type('//');
      await bench.page.press('Tab');
      await steps.waitForText((text) => /let total = 0;\/\/ +\n/.test(text));
      assert.equal(occurrences(await steps.text(), 'amount'), 5);
      await steps.closeFile();
    });

    it('the list of code actions makes it, and the status bar says it', async () => {
      await steps.renameByHand('action');
      await steps.waitForHint(/rename to `total`/);
      await bench.page.page
        .getByLabel(/^Next edit in line 9: rename to `total`/)
        .first()
        .waitFor();
      await bench.page.press('Control+.');
      const action = bench.page.page.locator('.action-widget .action').filter({ hasText: 'Make next edit' });
      await action.waitFor();
      await bench.screenshot('next-edit-6-code-action');
      // The list takes no click before the mouse has moved over it.
      await action.hover({ force: true });
      await action.click();
      await steps.waitForText((text) => text.includes('total += line.price'));
      await steps.closeFile();
    });
  });
}
