import type { Bench } from '../driver/bench.js';

/** The picture in the README: `npm run test:workbench -- --update-screenshots`. */
export function testPicture(bench: Bench, keep: (name: string) => void): void {
  describe('picture', () => {
    it('is taken of ghost text in a source file', async () => {
      const { page } = bench.page;
      const size = page.viewportSize();
      await page.setViewportSize({ width: 1140, height: 660 });
      await bench.openCopy('cart.ts', 'cart');
      await bench.page.type('find(name: string): Item | undefined {');
      await bench.page.press('Enter');
      await bench.suggestion();
      await bench.page.waitForStatus(/^Inkling: Ready$/);
      await bench.screenshot('picture');
      keep('picture');
      if (size !== null) await page.setViewportSize(size);
    });
  });
}
