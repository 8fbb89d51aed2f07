import { type CompletionSummary, formatFileSize, type InklingStatus } from '../../server/protocol/index.js';
import type { TypingResult } from './typist.js';

/** The session's figures as lines of a table. */
export function summarize(
  results: readonly TypingResult[],
  completions: readonly CompletionSummary[],
  { memory }: InklingStatus,
): [label: string, value: string][] {
  const total = (read: (result: TypingResult) => number): number => sum(results.map(read));
  const engine = (read: (completion: CompletionSummary) => number | null): number =>
    sum(completions.map((completion) => read(completion) ?? 0));
  const latencies = results.flatMap((result) => result.latenciesMs).sort((left, right) => left - right);
  const keystrokes = total((result) => result.keystrokes);
  const accepted = total((result) => result.acceptedCharacters);
  const written = accepted + total((result) => result.typedCharacters);
  const drafted = engine((completion) => completion.draftedTokens);
  const generated = engine((completion) => completion.generatedTokens);
  const replayed = engine((completion) => completion.replayedTokens);
  const promptTokens = engine((completion) => completion.promptTokens);
  const evaluated = promptTokens - engine((completion) => completion.reusedTokens);
  return [
    ['keystrokes', `${keystrokes}, ${total((result) => result.keystrokesWithGhost)} with ghost text`],
    [
      'accepted',
      `${total((result) => result.acceptances)} times, ${accepted} of ${written} characters (${percent(accepted, written)})`,
    ],
    [
      'latency',
      `p50 ${at(latencies, 0.5)} ms, p90 ${at(latencies, 0.9)} ms, longest ${at(latencies, 1)} ms ` +
        `(${latencies.length} answers; ${keystrokes - latencies.length} requests were cancelled by the next key)`,
    ],
    ['prompt reuse', `${percent(promptTokens - evaluated, promptTokens)} of ${promptTokens} prompt tokens`],
    [
      'prefill',
      perSecond(
        evaluated,
        engine((completion) => completion.prefillMs),
      ),
    ],
    [
      'decode',
      perSecond(
        engine((completion) => completion.decodedTokens),
        engine((completion) => completion.decodeMs),
      ),
    ],
    ['typed along', `${percent(replayed, generated)} of ${generated} generated tokens needed no evaluation`],
    [
      'drafts',
      drafted === 0
        ? 'none: the engine expected no gain'
        : `${percent(
            engine((completion) => completion.acceptedDraftTokens),
            drafted,
          )} of ${drafted} draft tokens accepted`,
    ],
    [
      'memory',
      memory === null
        ? 'unknown'
        : `${formatFileSize(memory.processRssBytes)} resident, ${formatFileSize(memory.peakBytes)} in use at the peak ` +
          `(weights ${formatFileSize(memory.weightsBytes)}, context ${formatFileSize(memory.kvBytes + memory.recurrentBytes)}, ` +
          `checkpoints ${formatFileSize(memory.checkpointBytes)}, compute ${formatFileSize(memory.computeBytes)})`,
    ],
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((left, right) => left + right, 0);
}

function at(sorted: readonly number[], quantile: number): string {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))];
  return value === undefined ? '-' : String(Math.round(value));
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${Math.round((100 * part) / whole)} %`;
}

function perSecond(tokens: number, milliseconds: number): string {
  return milliseconds === 0 ? '-' : `${Math.round((1000 * tokens) / milliseconds)} tokens/s (${tokens} tokens)`;
}
