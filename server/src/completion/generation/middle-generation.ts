import type { SpeculationMode } from '../../../protocol/index.js';
import type { EngineClient } from '../../engine/engine-client.js';
import type { GenerationResult } from '../../engine/generation.js';
import type { FimPrompt } from '../../prompt/fim-prompt.js';
import type { FimTemplate } from '../../prompt/fim-template.js';
import type { TokenConfidence } from '../confidence/confidence-calibration.js';
import type { Branch } from './branching.js';
import type { StopRule } from './stop-rule.js';
import { StopTracker } from './stop-tracker.js';

export interface MiddleQuestion {
  readonly prompt: FimPrompt;
  readonly template: FimTemplate;
  /** Whether the model may choose the last typed tokens again, with the same bytes. */
  readonly heal: boolean;
  readonly rule: StopRule;
  readonly maxTokens: number;
  readonly timeBudgetMs: number;
  readonly speculation: SpeculationMode;
  /** What an earlier suggestion put here; empty without one. */
  readonly draft: string;
  /** Whether to return the second-best tokens, for branches. */
  readonly runnersUp: boolean;
  /** Tokens that the answer must begin with; empty for a free answer. */
  readonly branch: Branch;
}

export interface GeneratedMiddle {
  readonly text: string;
  /** False if a limit cut the text off, rather than the model or a stop rule. */
  readonly finished: boolean;
  readonly confidence: TokenConfidence;
  readonly result: GenerationResult;
}

/**
 * Generates the middle and stops at the stop rule.
 *
 * @param onText called after each piece with all text generated so far, and how much of it may be shown
 * @throws EngineError
 */
export async function generateMiddle(
  client: Pick<EngineClient, 'generate'>,
  { prompt, template, heal, rule, maxTokens, timeBudgetMs, speculation, draft, runnersUp, branch }: MiddleQuestion,
  onText: (text: string, showable: number) => void,
  signal: AbortSignal,
): Promise<GeneratedMiddle> {
  const stopEarly = new AbortController();
  const tracker = new StopTracker(rule);
  const take = (piece: string): void => {
    if (tracker.push(piece) !== null) stopEarly.abort();
    else onText(tracker.text, tracker.showable);
  };
  const result = await client.generate(
    {
      prompt: prompt.parts,
      sectionBoundaries: prompt.sectionBoundaries,
      heal,
      maxTokens,
      stop: rule.extent === 'line' ? ['\n'] : [],
      stopTokens: template.stopTokens,
      endsWithFile: true,
      timeBudgetMs,
      speculation,
      ...(draft === '' ? {} : { draft }),
      ...(runnersUp ? { runnersUp } : {}),
      ...(branch.length === 0 ? {} : { begin: branch }),
    },
    take,
    AbortSignal.any([signal, stopEarly.signal]),
  );
  const ended = result.stopReason === 'endOfText' || result.stopReason === 'stopText';
  const stop = ended ? tracker.end() : tracker.stop;
  const confidence = {
    logProbabilities: result.logProbabilities,
    // Usually the first token alone writes the healed text. The model did not choose the tokens of a branch, so they
    // say nothing about its confidence.
    healedTokens: Math.max(branch.length, heal ? 1 : 0),
    generatedLength: result.text.length,
  };
  return { text: result.text.slice(0, stop ?? undefined), finished: ended || stop !== null, confidence, result };
}
