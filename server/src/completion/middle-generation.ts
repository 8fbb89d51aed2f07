import type { GenerationResult } from '../engine/engine.js';
import type { EngineHost } from '../engine/engine-host.js';
import type { FimPrompt } from '../prompt/fim-prompt.js';
import type { FimTemplate } from '../prompt/fim-template.js';
import { findStop, type StopRule } from './stop-rule.js';

export interface MiddleQuestion {
  readonly prompt: FimPrompt;
  readonly template: FimTemplate;
  /** Whether the last typed tokens may be chosen again, within their bytes. */
  readonly heal: boolean;
  readonly rule: StopRule;
  readonly maxTokens: number;
  readonly timeBudgetMs: number;
  /** What an earlier suggestion said would follow; empty where there is none. */
  readonly draft: string;
}

export interface GeneratedMiddle {
  readonly text: string;
  /** False where the model was cut off by a limit rather than by its own end or a stop rule. */
  readonly finished: boolean;
  readonly result: GenerationResult;
}

/**
 * Asks the engine for the middle, and stops it as soon as the stop rule is met.
 * @param onText called with everything generated so far, after each piece
 * @throws EngineError
 */
export async function generateMiddle(
  host: EngineHost,
  { prompt, template, heal, rule, maxTokens, timeBudgetMs, draft }: MiddleQuestion,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<GeneratedMiddle> {
  const stopEarly = new AbortController();
  let text = '';
  const take = (piece: string): void => {
    text += piece;
    if (findStop(text, rule) !== null) stopEarly.abort();
    else onText(text);
  };
  const result = await host.generate(
    {
      prompt: prompt.parts,
      marks: prompt.marks,
      heal,
      maxTokens,
      stop: rule.kind === 'line' ? ['\n'] : [],
      stopTokens: template.stopTokens,
      timeBudgetMs,
      ...(draft === '' ? {} : { draft }),
    },
    take,
    AbortSignal.any([signal, stopEarly.signal]),
  );
  const ended = result.stopReason === 'endOfText' || result.stopReason === 'stopText';
  const stop = findStop(result.text, rule, ended);
  return { text: result.text.slice(0, stop ?? undefined), finished: ended || stop !== null, result };
}

/** Mean natural logarithm of the model's own probabilities; null where no token was generated. */
export function averageLogProbability({ logProbabilities }: GenerationResult): number | null {
  if (logProbabilities.length === 0) return null;
  return logProbabilities.reduce((sum, value) => sum + value, 0) / logProbabilities.length;
}
