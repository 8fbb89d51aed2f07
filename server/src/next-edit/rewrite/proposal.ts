import type { EngineClient } from '../../engine/lifecycle/engine-client.js';
import type { GenerateRequest, GenerationResult } from '../../engine/port/generation.js';

export type RewriteEngine = Pick<EngineClient, 'generate' | 'tokenize'>;

/** The one place that says how the engine verifies a text that it is expected to say. */
export function generateAfterProposal(
  engine: Pick<RewriteEngine, 'generate'>,
  request: Omit<GenerateRequest, 'proposal' | 'runnersUp'>,
  proposal: string,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<GenerationResult> {
  const offered = proposal === '' ? {} : { proposal };
  return engine.generate({ ...request, ...offered, runnersUp: true }, onText, signal);
}
