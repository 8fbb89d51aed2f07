import { type EngineState, type InklingStatus, t } from '../../../server/protocol/index.js';

/** The status while no server reports one. */
function withoutServer(state: EngineState): InklingStatus {
  return { state, remote: null, model: null, memory: null, lastCompletion: null, chat: null };
}

/** The server process is starting and has not reported yet. */
export const STARTING_STATUS = withoutServer({ kind: 'loading', progress: 0 });

/** Inkling was off when the window opened: no process runs and no memory is in use. */
export const NOT_STARTED_STATUS = withoutServer({ kind: 'off' });

/** @param hasOwnModel the user chose another model than the starter model, which may be why */
export function crashedStatus(crashes: number, hasOwnModel: boolean): InklingStatus {
  const message = t('The language server crashed {0} times in three minutes. Inkling did not restart it.', crashes);
  return withoutServer({ kind: 'error', error: { code: hasOwnModel ? 'crashedWithModel' : 'internal', message } });
}
