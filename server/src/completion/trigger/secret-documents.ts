import type { ModelFacts } from '../../engine/port/model-facts.js';
import type { Trigger } from '../request/completion-request.js';

/**
 * Whether a document must not be sent now: it may hold secrets, and a remote server would read them. A remote server at a
 * local address counts too, since a tunnel may begin there. Only the user's command sends it.
 *
 * @param trigger null for work between keystrokes
 */
export function staysOnThisMachine(
  mayHoldSecrets: boolean,
  facts: Pick<ModelFacts, 'kind'>,
  trigger: Trigger | null,
): boolean {
  return facts.kind === 'remote' && trigger !== 'invoked' && mayHoldSecrets;
}
