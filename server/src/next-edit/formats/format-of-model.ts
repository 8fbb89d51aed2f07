import { instinct } from './instinct.js';
import type { RewriteFormat } from './rewrite-format.js';
import { STARTER, SWEEP_1, SWEEP_2, sweep } from './sweep.js';
import { zeta1 } from './zeta-1.js';
import { zeta2 } from './zeta-2.js';
import { zeta21 } from './zeta-2-1.js';

/** What a GGUF says of itself. */
export interface NextEditModel {
  readonly name: string;
  readonly path: string;
  /** Its metadata `inkling.next_edit_format`; null where it has none. */
  readonly nextEditFormat: string | null;
}

const BY_METADATA: ReadonlyMap<string, RewriteFormat> = new Map([
  ['sweep', sweep(STARTER)],
  ['sweep-1', sweep(SWEEP_1)],
  ['sweep-2', sweep(SWEEP_2)],
  ['zeta-1', zeta1],
  ['zeta-2', zeta2],
  ['zeta-2.1', zeta21],
  ['instinct', instinct],
]);

/** The first that matches counts. A name of Zed's models is a word of its own: `zetachat` is none. */
const BY_NAME: readonly (readonly [RegExp, RewriteFormat])[] = [
  [/sweep[-_ .]?next[-_ .]?edit[-_ .]v2/i, sweep(SWEEP_2)],
  [/sweep[-_ .]?next[-_ .]?edit/i, sweep(SWEEP_1)],
  [/(?<![\p{L}\p{N}])zeta[-_ .]?2[-_.]1(?![\p{L}\p{N}])/iu, zeta21],
  [/(?<![\p{L}\p{N}])zeta[-_ .]?2(?![\p{L}\p{N}])/iu, zeta2],
  [/(?:^|zed-industries[-_ /])zeta(?:[-_ .]?1)?(?=$|[-_ .]?(?:i?q\d|f16|bf16|gguf))/i, zeta1],
  [/(?:^|continuedev[-_ /])instinct(?=$|[-_ .]?(?:i?q\d|f16|bf16|gguf))/i, instinct],
];

/** How the model is asked for next edits; null for one that says nothing of it. It is never guessed. */
export function formatOfModel({ name, path, nextEditFormat }: NextEditModel): RewriteFormat | null {
  if (nextEditFormat !== null) return BY_METADATA.get(nextEditFormat) ?? null;
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  for (const [pattern, format] of BY_NAME) if (pattern.test(name) || pattern.test(file)) return format;
  return null;
}
