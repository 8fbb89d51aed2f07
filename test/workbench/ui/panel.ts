import assert from 'node:assert/strict';
import type { Bench } from '../driver/bench.js';

export function testPanel(bench: Bench): void {
  describe('panel', () => {
    it('opens from the activity bar and shows the model and its state', async () => {
      const model = bench.log().lastStatus()?.model;
      assert.ok(model, 'the server reported no model');
      const panel = await bench.page.openPanel('Inkling');
      await panel.getByText('Ready', { exact: true }).waitFor();
      await bench.screenshot('panel');
      const text = await panel.innerText();
      for (const expected of [model.name, model.architecture, model.path]) {
        assert.ok(text.includes(expected), `${JSON.stringify(text)} lacks ${expected}`);
      }
    });
  });
}
