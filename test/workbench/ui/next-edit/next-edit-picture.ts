import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Bench } from '../../driver/bench.js';
import { isEmpty } from '../../driver/drawn-edit.js';
import { NextEditSteps, occurrences } from './next-edit-steps.js';

const WINDOW = { width: 1280, height: 800 };
const SMALL_WINDOW = { width: 900, height: 480 };
/** Of the editor's left upper corner. */
const PART = { width: 640, height: 292 };

interface Frame {
  readonly png: Buffer;
  readonly milliseconds: number;
}

/** The animated picture in README: a rename by hand, then Tab, Tab, Tab. Needs Debian's `webp`. */
export function testNextEditPicture(bench: Bench, folder: string): void {
  describe('the animated picture', () => {
    it('of next edits is taken', async () => {
      const { page } = bench.page;
      const steps = new NextEditSteps(bench);
      await bench.page.useTheme('dark');
      await page.setViewportSize(SMALL_WINDOW);
      await bench.page.runCommand('View: Toggle Primary Side Bar Visibility');
      await bench.openCopy('basket.ts', 'basket');
      const frames: Frame[] = [];
      const keep = async (milliseconds: number): Promise<void> => {
        const box = await page.locator('.editor-group-container.active .editor-instance').first().boundingBox();
        const clip = { x: box?.x ?? 0, y: box?.y ?? 0, ...PART };
        frames.push({ png: await page.screenshot({ clip, animations: 'disabled' }), milliseconds });
      };
      await bench.page.press('Home');
      await bench.page.press('Control+ArrowRight');
      await bench.page.press('ArrowRight');
      await keep(800);
      await bench.page.press('Control+Shift+ArrowRight');
      await keep(600);
      await bench.page.type('total');
      await keep(600);
      await steps.waitForHint(/rename to `total`/);
      for (let left = 5; left > 0; left--) {
        const { hint } = await steps.waitFor((edit) => !isEmpty(edit), 'nothing is drawn');
        if (hint !== '') {
          await keep(left === 5 ? 1_800 : 900);
          await bench.page.press('Tab');
        }
        await steps.waitFor((edit) => edit.hint === '' && edit.inserted.includes('total'), 'no preview');
        await keep(left === 5 ? 1_200 : 700);
        await bench.page.press('Tab');
        await steps.waitForText((text) => occurrences(text, 'amount') === left - 1);
      }
      await steps.waitForNothing();
      await keep(2_500);

      mkdirSync(folder, { recursive: true });
      await assemble(frames, path.join(folder, 'next-edit.webp'));
      await steps.closeFile();
      await bench.page.runCommand('View: Toggle Primary Side Bar Visibility');
      await page.setViewportSize(WINDOW);
    });
  });
}

async function assemble(frames: readonly Frame[], file: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'inkling-frames-'));
  try {
    const inputs = frames.flatMap(({ png, milliseconds }, index) => {
      const name = path.join(folder, `${String(index).padStart(3, '0')}.png`);
      writeFileSync(name, png);
      return ['-d', String(milliseconds), name];
    });
    await promisify(execFile)('img2webp', ['-loop', '0', '-min_size', '-lossless', '-m', '6', ...inputs, '-o', file]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
