import type { CursorPlace } from '../../../server/src/completion/anchor/anchor.js';
import { type Anchor, middleOf } from '../../../server/src/completion/anchor/anchor.js';
import type { CursorContext } from '../../../server/src/completion/cursor/cursor-context.js';
import type { CursorSyntax } from '../../../server/src/completion/cursor/cursor-syntax.js';
import { generateMiddle, NO_OBSERVER } from '../../../server/src/completion/generation/middle-generation.js';
import { chooseStopRule } from '../../../server/src/completion/generation/stop-rule.js';
import { postProcess } from '../../../server/src/completion/postprocess/post-process.js';
import type { ReadyModel } from '../../../server/src/completion/request/question.js';
import { canHeal, promptFrom } from '../../../server/src/completion/suggestion-maker.js';
import type { AddonEngine } from '../../../server/src/engine/addon/addon-engine.js';

export interface GreedyPlace {
  readonly path: string;
  readonly offset: number;
  readonly cursor: CursorContext;
  readonly syntax: CursorSyntax;
  readonly place: CursorPlace;
}

/** The greedy answer at a place as the engine gives it, and what the filters leave of it. */
export async function greedyMiddle(
  engine: AddonEngine,
  { template }: ReadyModel,
  { path, offset, cursor, syntax, place }: GreedyPlace,
  anchor: Anchor,
  { heal, maxTokens }: { readonly heal: boolean; readonly maxTokens: number },
) {
  const middle = middleOf(anchor, place);
  const question = {
    prompt: promptFrom(anchor, template, path, middle),
    template,
    heal: heal && canHeal(middle),
    rule: chooseStopRule(cursor, syntax),
    maxTokens,
    timeBudgetMs: 0,
    speculation: 'auto' as const,
    draft: '',
    runnersUp: false,
    branch: [],
  };
  const generated = await generateMiddle(engine, question, NO_OBSERVER, new AbortController().signal);
  const { text, finished } = generated;
  const processed = postProcess({ text, finished, cursor, offset, syntax, path, recentEdits: [] });
  return { generated, processed };
}
