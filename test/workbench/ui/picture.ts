import type { Bench } from '../driver/bench.js';

/** The picture in the README: `npm run test:workbench -- --update-screenshots`. */
export function testPicture(bench: Bench, keep: (name: string) => void): void {
  describe('picture', () => {
    it('is taken of ghost text in a source file', async () => {
      await bench.openCopy('geometry.ts', 'geometry');
      await bench.page.type('export function multiply(left: Point, right: Point): Point {');
      await bench.page.press('Enter');
      await bench.suggestion();
      await bench.screenshot('picture');
      keep('picture');
    });
  });
}
