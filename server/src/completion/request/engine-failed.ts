import { type EngineErrorInfo, t } from '../../../protocol/index.js';
import type { CompletionOutcome } from './completion-outcome.js';

/** With these codes the message may be no sentence for users. */
const OF_ENGINE: ReadonlySet<EngineErrorInfo['code']> = new Set([
  'internal',
  'invalidArgument',
  'loadFailed',
  'decodeFailed',
  'promptTooLong',
]);

/** The outcome of a request that an error ended. */
export function engineFailed({ code, message }: EngineErrorInfo): CompletionOutcome {
  const detail = OF_ENGINE.has(code) ? t('The engine failed: {0}', message) : message;
  return { kind: 'none', reason: 'engineError', detail };
}
