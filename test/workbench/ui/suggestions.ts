import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, until } from '../driver/bench.js';
import { offsetOf } from '../driver/server-log.js';

/** Places where the model has an example to follow: the suggestion may change, but there must be one. */
const SCENES = [
  { language: 'TypeScript', fixture: 'geometry.ts', typed: 'export function multiply(' },
  { language: 'Python', fixture: 'inventory.py', typed: 'def average_price(' },
] as const;
const [TYPESCRIPT] = SCENES;

export function testSuggestions(bench: Bench): void {
  describe('suggestions', () => {
    for (const { language, fixture, typed } of SCENES) {
      it(`shows in ${language}, while typing, what the language server answered; Tab accepts it`, async () => {
        const name = `tab-${language.toLowerCase()}`;
        const file = await bench.openCopy(fixture, name);
        await bench.page.type(typed);
        const shown = await bench.suggestion();
        assert.notEqual(shown.ghost.trim(), '');
        assert.ok(shown.text.includes(typed));
        await bench.screenshot(`${name}-1-ghost-text`);

        await bench.page.press('Tab');
        await bench.waitForText(shown.shown);
        await bench.screenshot(`${name}-2-accepted`);
        await bench.page.save();
        assert.equal(readFileSync(file, 'utf8'), shown.shown);
        await expectAccepted({ kind: 'all', suggestionId: shown.item.command.arguments[0].suggestionId });
      });
    }

    it('accepts word by word with Ctrl+Right', async () => {
      await bench.openCopy('cart.ts', 'word');
      await bench.page.type('findByName(name: string): Item | undefined {');
      await bench.page.press('Enter');
      const { text, item } = await bench.suggestion();
      let cursor = offsetOf(text, item.range.start);
      for (const press of [1, 2]) {
        const before = await bench.page.waitForGhostText();
        await bench.page.press('Control+ArrowRight');
        let accepted = '';
        const hasGrown = async () => {
          const now = (await bench.page.content()).text;
          accepted = now.slice(cursor, cursor + now.length - before.text.length);
          return accepted !== '';
        };
        assert.ok(await until(hasGrown), `nothing was accepted by press ${press}`);
        assert.ok(before.ghost.startsWith(accepted), `${accepted} does not begin ${before.ghost}`);
        assert.ok(accepted.length < before.ghost.length, 'one word was the whole suggestion');
        await expectAccepted({ kind: 'word', text: accepted });
        cursor += accepted.length;
      }
      assert.notEqual((await bench.page.waitForGhostText()).ghost, '');
      await bench.screenshot('word-by-word');
    });

    it('accepts the next line with Ctrl+Down', async () => {
      await bench.openCopy(TYPESCRIPT.fixture, 'line');
      await bench.page.type(TYPESCRIPT.typed);
      const { text } = await bench.suggestion();
      await bench.page.press('Control+ArrowDown');
      await expectAccepted({ kind: 'line' });
      assert.ok((await bench.page.content()).text.length > text.length, 'nothing was accepted');
    });

    it('leaves Tab to indentation on a line without any', async () => {
      await bench.openCopy(TYPESCRIPT.fixture, 'indent');
      await bench.page.type('export function scale(point: Point, factor: number): Point {');
      await bench.page.press('Enter');
      await bench.page.press('Escape');
      await bench.page.press('Shift+Home');
      await bench.page.press('Delete');
      await bench.page.runCommand('Trigger Inline Suggestion');
      const { text, ghost } = await bench.suggestion();
      assert.match(ghost, /^ {2}/, 'what is suggested is not indented');
      await bench.page.press('Tab');
      const isIndented = async () => (await bench.page.content()).text.length > text.length;
      assert.ok(await until(isIndented), 'Tab did nothing');
      assert.equal((await bench.page.content()).text.replaceAll(' ', ''), text.replaceAll(' ', ''));
      await bench.screenshot('tab-indents');
    });

    it('does not appear automatically in a language that is off, which the status says and can turn on', async () => {
      await bench.openCopy('letter.txt', 'letter');
      await bench.page.type('I write to you ');
      await delay(1_500);
      await bench.page.waitForNoGhostText();
      await bench.page.waitForStatus(/^Inkling: Suggestions are turned off for Plain Text$/);
      assert.equal((await bench.page.statusItem.innerText()).trim(), 'Off for Plain Text');
      await bench.screenshot('language-off');
      await bench.page.chooseInStatusMenu('Why no suggestion?');
      const report = await bench.page.pageWith('h1:has-text("no suggestions now")');
      await report.getByText('Suggestions are turned off for Plain Text.').waitFor();
      await bench.screenshot('why-language-off');
      await bench.page.chooseInStatusMenu('Turn on for this language');
      await bench.page.waitForStatus(/^Inkling: Ready$/);
      const tab = bench.page.page.locator('.tab').filter({ hasText: /^Why no suggestion/ });
      await tab.hover();
      await tab.getByRole('button', { name: 'Close' }).click();
      await tab.waitFor({ state: 'detached' });
    });

    it('disappears with Escape, and leaves the document alone', async () => {
      await bench.openCopy(TYPESCRIPT.fixture, 'escape');
      await bench.page.type(TYPESCRIPT.typed);
      const { text } = await bench.suggestion();
      await bench.page.press('Escape');
      await bench.page.waitForNoGhostText();
      await delay(1500);
      const content = await bench.page.content();
      assert.deepEqual({ text: content.text, ghost: content.ghost }, { text, ghost: '' });
      await bench.screenshot('escape');
    });
  });

  /** The extension logs what the user accepted. */
  async function expectAccepted(event: object): Promise<void> {
    const wanted = Object.entries(event).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    const said = () => bench.log().says('Accepted: {', ...wanted);
    assert.ok(await until(said), `the log does not say: ${wanted.join(', ')}`);
  }
}
