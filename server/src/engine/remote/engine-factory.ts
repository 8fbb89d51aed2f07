import type { Log } from '../../util/log.js';
import type { Engine, LoadOptions } from '../port/engine.js';
import { RemoteEngine, type RemoteKey } from './remote-engine.js';

/**
 * Makes local or remote engines, as the options say.
 *
 * The API key comes in two variables, since all that a client sends may be logged: `INKLING_REMOTE_KEY`, and
 * `INKLING_REMOTE_ORIGIN` with the one scheme, host and port that it is for. They are removed from the environment here.
 */
export function createEngineFactory(
  createLocalEngine: (options: LoadOptions) => Engine,
  environment: NodeJS.ProcessEnv,
  log: Log,
): (options: LoadOptions) => Engine {
  const key = takeRemoteKey(environment);
  return (options) =>
    options.remote === undefined ? createLocalEngine(options) : new RemoteEngine(key, environment, log);
}

function takeRemoteKey(environment: NodeJS.ProcessEnv): RemoteKey {
  const { INKLING_REMOTE_KEY: key = '', INKLING_REMOTE_ORIGIN: origin = '' } = environment;
  delete environment.INKLING_REMOTE_KEY;
  delete environment.INKLING_REMOTE_ORIGIN;
  return { key, origin: URL.canParse(origin) ? new URL(origin).origin : '' };
}
