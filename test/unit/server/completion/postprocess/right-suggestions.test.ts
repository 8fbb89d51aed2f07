import { expect, it } from 'vitest';
import { postProcess } from '../../../../../server/src/completion/postprocess/post-process.js';
import { syntaxTrees } from '../../../../support/code/grammars.js';
import { realSources, rightSuggestion } from '../../../../support/code/right-suggestions.js';

const POSITIONS = Number(process.env.INKLING_POSITIONS ?? (process.env.INKLING_TEST_SCALE === 'full' ? 1000 : 300));
const SEED = Number(process.env.INKLING_SEED ?? 7);

/** Largest share of right suggestions that may be changed or dropped. */
const MOST_CHANGED = 0.05;

it('leaves the real text at the cursor unchanged', { timeout: 120_000 }, async () => {
  const trees = syntaxTrees();
  const sources = realSources();
  const random = generator(SEED);
  const complaints: string[] = [];
  let positions = 0;
  while (positions < POSITIONS) {
    const file = sources[Math.floor(random() * sources.length)] ?? '';
    const right = await rightSuggestion(trees, file, random);
    if (right === null) continue;
    positions++;
    const { text, cursor, offset, syntax } = right;
    const result = postProcess({
      text,
      finished: true,
      cursor,
      offset,
      syntax,
      path: file,
      recentEdits: [],
    });
    // Blanks at line ends need not be kept.
    if (result.kind === 'kept' && result.text.trimEnd() === text.trimEnd()) continue;
    const what = result.kind === 'dropped' ? result.by : `${result.changedBy}: ${JSON.stringify(result.text)}`;
    const where = `${cursor.linePrefix}║${cursor.lineSuffix}`;
    complaints.push(
      `${file}:${cursor.prefix.split('\n').length} ${JSON.stringify(where)} ${JSON.stringify(text)} -> ${what}`,
    );
  }
  trees.dispose();
  if (process.env.INKLING_POSITIONS !== undefined) console.log(complaints.join('\n'));
  expect(complaints.length, complaints.join('\n')).toBeLessThanOrEqual(POSITIONS * MOST_CHANGED);
});

/** The same numbers from 0 to 1 for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
