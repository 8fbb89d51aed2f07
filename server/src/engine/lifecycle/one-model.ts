import { t } from '../../../protocol/index.js';
import { EngineError } from '../port/engine-error.js';
import type { ModelFacts } from '../port/model-facts.js';
import type { EngineClient } from './engine-client.js';

/**
 * Tokens of one vocabulary are nonsense in another. To be called right before each request with tokens, since a client asks
 * whatever model is loaded then.
 *
 * @param facts of the model that the tokens are for
 * @throws EngineError `notLoaded`
 */
export function requireModel(client: Pick<EngineClient, 'facts'>, facts: ModelFacts): void {
  if (client.facts === facts) return;
  const message =
    client.facts === null ? t('The model was unloaded meanwhile') : t('Another model was loaded meanwhile');
  throw new EngineError('notLoaded', message);
}

/** Asks one model, and none that takes its place. */
export function oneModel(
  client: Pick<EngineClient, 'facts' | 'generate' | 'tokenize'>,
  facts: ModelFacts,
): Pick<EngineClient, 'generate' | 'tokenize'> {
  return {
    generate: async (...asked) => {
      requireModel(client, facts);
      return client.generate(...asked);
    },
    tokenize: async (...asked) => {
      requireModel(client, facts);
      return client.tokenize(...asked);
    },
  };
}
