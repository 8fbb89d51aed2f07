import type { NativeEngine } from '../../server/src/engine/addon/addon-types.js';
import type { Section } from './report.js';

const ANSWER_TOKENS = 96;
const TURNS = 3;

/** Prompt of a few hundred tokens, whose answer repeats a part of it, as code does. */
const PROMPT = Array.from(
  { length: 24 },
  (_, index) =>
    `export function area${index}(width: number, height: number): number {\n  return width * height;\n}\n\n`,
).join('');

type Speculation = 'auto' | 'off';

/** How fast the engine reads a prompt and decodes, in turns with drafts and without: the best of a few short ones. */
export async function describeSpeed(engine: NativeEngine): Promise<Section> {
  const best = { auto: 0, off: 0 };
  let [prefill, drafted, accepted] = [0, 0, 0];
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const speculation of ['off', 'auto'] as const) {
      const metrics = await answer(engine, speculation, turn);
      best[speculation] = Math.max(best[speculation], metrics.decodeTokensPerSecond);
      prefill = Math.max(prefill, metrics.prefillTokensPerSecond);
      drafted += metrics.draftedTokens;
      accepted += metrics.acceptedDraftTokens;
    }
  }
  const drafts = drafted === 0 ? 'none made: they do not pay here' : `${accepted} of ${drafted} drafts accepted`;
  return {
    title: 'Speed',
    lines: [
      ['reads a prompt', `${Math.round(prefill)} tokens/s`],
      ['decodes, no drafts', `${Math.round(best.off)} tokens/s`],
      ['decodes, drafts', `${Math.round(best.auto)} tokens/s (${drafts})`],
    ],
  };
}

async function answer(engine: NativeEngine, speculation: Speculation, turn: number) {
  // A first line of its own: what the last turn held must not answer this one.
  const prompt = [`// ${speculation} ${turn}\n${PROMPT}export function `];
  const { metrics } = await engine.generate({ prompt, maxTokens: ANSWER_TOKENS, speculation }).result;
  return metrics;
}
