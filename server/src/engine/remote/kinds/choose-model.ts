import { t } from '../../../../protocol/index.js';
import { shownText } from '../../../util/json.js';
import { EngineError } from '../../port/engine-error.js';

/** A message names at most so many models. */
const MOST_NAMED = 6;

/**
 * Which of a server's models is meant.
 * @param wanted as the user names it, with or without the tag that Ollama appends; empty for the only one
 * @throws EngineError `remoteModelUnknown`, which names those that there are; `remoteNotFound` where there is none
 */
export function chooseModel(host: string, available: readonly string[], wanted: string): string {
  const found = available.find((name) => name === wanted) ?? available.find((name) => name === `${wanted}:latest`);
  if (found !== undefined) return found;
  const [only] = available;
  if (wanted === '' && only !== undefined && available.length === 1) return only;
  if (available.length === 0) throw new EngineError('remoteNotFound', t('{0} has no model', host));
  throw new EngineError('remoteModelUnknown', refusal(host, available, wanted));
}

function refusal(host: string, available: readonly string[], wanted: string): string {
  const names = `${available.slice(0, MOST_NAMED).map(shownText).join(', ')}${available.length > MOST_NAMED ? ', …' : ''}`;
  return wanted === ''
    ? t('{0} has several models. Set inkling.remote.model to one of them: {1}', host, names)
    : t('{0} has no model {1} (inkling.remote.model). It has {2}', host, wanted, names);
}
