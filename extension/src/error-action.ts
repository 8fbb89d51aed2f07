import type { EngineErrorCode } from '../../server/protocol/index.js';
import { INKLING_COMMANDS } from './command-ids.js';

/** Something the user can run: `command` is the id of a command of VS Code or Inkling, run without arguments. */
export interface UserAction {
  readonly label: string;
  readonly command: string;
}

export const RESTART_ACTION: UserAction = { label: 'Restart', command: INKLING_COMMANDS.restart };
export const SHOW_LOG_ACTION: UserAction = { label: 'Show log', command: INKLING_COMMANDS.showLog };
export const CHOOSE_MODEL_ACTION: UserAction = {
  label: 'Choose a model',
  command: INKLING_COMMANDS.pickModel,
};

/** The one action that has a chance to help. */
export function actionForError(code: EngineErrorCode): UserAction {
  switch (code) {
    case 'fileNotFound':
    case 'notGguf':
    case 'truncatedFile':
    case 'unsupportedModel':
    case 'noFimTokens':
    case 'outOfMemory':
      return CHOOSE_MODEL_ACTION;
    case 'addonUnavailable':
      return SHOW_LOG_ACTION;
    case 'invalidArgument':
    case 'loadFailed':
    case 'loadCancelled':
    case 'alreadyLoaded':
    case 'notLoaded':
    case 'closed':
    case 'promptTooLong':
    case 'decodeFailed':
    case 'internal':
      return RESTART_ACTION;
  }
}
