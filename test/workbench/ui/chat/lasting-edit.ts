import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { type Bench, until } from '../../driver/bench.js';
import { drawnEdit } from '../../driver/drawn-edit.js';

/** What the tests of edits in the editor share. */
export interface EditSteps {
  /** The model answers with this from now on. */
  readonly answer: (text: string) => void;
  /** Has the model edit two methods of a new file. */
  readonly edit: (name: string, request: string) => Promise<void>;
  readonly lens: (label: string) => Locator;
  readonly isThere: (text: string) => Promise<boolean>;
  readonly isGone: (text: string) => Promise<boolean>;
}

const CELLS = ['total = 1\nprint(total)', 'print(total + 1)'];
const EDITED_CELL = '```python\ntotal = 2\nprint(total)\n```';

/** Edits that wait while the window is reloaded, or while their file gets another name. */
export function testLastingEdit(bench: Bench, rewritten: string, steps: EditSteps): void {
  const { answer, edit, lens, isThere, isGone } = steps;

  it('waits on after the window was reloaded', async () => {
    const { page } = bench;
    answer(rewritten);
    await edit('reloaded', 'use a method count');
    await lens('Keep all').waitFor();
    await page.save();
    await page.reload();
    await lens('Keep all').waitFor();
    const isOldShown = async () => (await drawnEdit(page.page)).inserted.includes('return this.items.length === 0;');
    assert.ok(await until(isOldShown), 'the old line is not shown');
    await bench.screenshot('inline-edit-reloaded');
    await lens('Undo').last().click();
    assert.ok(await isGone('item.price <= price'), 'the hunk is still there');
    await lens('Keep').first().click();
    await lens('Keep').first().waitFor({ state: 'detached' });
    assert.ok(await isThere('return this.count() === 0;'), 'the other hunk is gone');
    // VS Code sometimes takes what it saved before the reload for a newer file, and refuses to save once more.
    await page.runCommand('View: Revert and Close Editor');
  });

  it('waits on in a notebook that gets another name', async () => {
    const { page } = bench;
    const textOf = async (cell: Locator) => (await cell.locator('.view-lines').innerText()).replaceAll('\u00a0', ' ');
    writeFileSync(path.join(bench.workspace, 'sums.ipynb'), notebookOf(CELLS));
    const cells = await page.openNotebook(path.join(bench.workspace, 'sums.ipynb'));
    await cells.first().locator('.view-line').first().click();
    await page.press('Control+A');
    answer(EDITED_CELL);
    await page.press('Control+K');
    await page.press('Control+E');
    const input = page.page.locator('.quick-input-widget').filter({ hasText: 'Lines 1 to 2 of sums.ipynb' });
    await input.locator('input').fill('begin with two');
    await page.press('Enter');
    await lens('Keep').waitFor();
    await bench.screenshot('inline-edit-notebook');

    await page.runCommand('File: Reveal Active File in Explorer View');
    await page.press('F2');
    await page.page.locator('.explorer-item-edited input').fill('totals.ipynb');
    await page.press('Enter');
    await page.page.locator('.tab.active').filter({ hasText: 'totals.ipynb' }).waitFor();
    await lens('Keep').waitFor();
    await bench.screenshot('inline-edit-renamed');
    await lens('Undo').click();
    await lens('Undo').waitFor({ state: 'detached' });
    assert.match(await textOf(cells.first()), /total = 1/);
    await page.runCommand('View: Revert and Close Editor');
  });
}

function notebookOf(cells: readonly string[]): string {
  return JSON.stringify({
    cells: cells.map((source) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source })),
    metadata: { language_info: { name: 'python' } },
    nbformat: 4,
    nbformat_minor: 5,
  });
}
