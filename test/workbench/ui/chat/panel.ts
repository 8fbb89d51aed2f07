import assert from 'node:assert/strict';
import type { Bench } from '../../driver/bench.js';

export function testPanel(bench: Bench): void {
  describe('panel', () => {
    it('opens in the secondary side bar beside the explorer, shows that the starter model cannot chat, and offers another', async () => {
      const model = bench.log().lastStatus()?.model;
      assert.ok(model, 'the server reported no model');
      const panel = await bench.page.openPanel('Inkling');
      await panel.getByText(`${model.name} cannot chat`).waitFor();
      // A chat model that a part before this one has left on the machine is offered rather than a download.
      await panel.getByRole('button', { name: /^(?:Download|Use) / }).waitFor();
      await panel.getByRole('button', { name: 'Choose a model' }).waitFor();
      assert.ok(await panel.getByRole('button', { name: 'Ask' }).isDisabled());
      assert.ok(await bench.page.page.locator('.part.sidebar .explorer-folders-view').isVisible(), 'no explorer');
      await bench.screenshot('panel');
    });

    it('is not needed to learn that: what asks the model says so first, with the same way out', async () => {
      const { page } = bench;
      await bench.openCopy('cart.ts', 'unable');
      await page.press('Control+A');
      for (const command of ['Edit Selection', 'Explain Selection', 'Write Commit Message']) {
        await page.runCommand(`Inkling: ${command}`);
        const notification = page.notification('cannot chat');
        await notification.getByRole('button', { name: /^(?:Download|Use) / }).waitFor();
        assert.equal(
          await page.page.locator('.quick-input-widget:visible').count(),
          0,
          `${command} asks the user first`,
        );
        await bench.screenshot('chat-unable');
        await page.runCommand('Notifications: Clear All Notifications');
      }
      assert.equal(await page.panelBody().locator('article').count(), 0, 'a question was stored');
    });

    it('takes the keyboard, and keeps what is typed, also while nothing can be asked', async () => {
      const panel = bench.page.panelBody();
      await bench.page.press('Control+K');
      await bench.page.press('Control+A');
      await panel.locator('#input:focus').waitFor();
      await bench.page.type('Why?');
      await bench.page.press('Enter');
      const question = panel.getByRole('textbox', { name: 'Question' });
      assert.equal(await question.inputValue(), 'Why?');
      await question.fill('');
    });
  });
}
