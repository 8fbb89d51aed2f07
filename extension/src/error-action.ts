import type { EngineErrorCode } from '../../server/protocol/index.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from './command-ids.js';
import { MODEL_PATH_SETTING } from './settings.js';

/** Something the user can run: `id` is a command of VS Code or Inkling. */
export interface UserAction {
  readonly label: string;
  readonly id: string;
  readonly arguments?: readonly unknown[];
}

export const RESTART_ACTION: UserAction = { label: 'Restart', id: INKLING_COMMANDS.restart };
export const SHOW_LOG_ACTION: UserAction = { label: 'Show log', id: INKLING_COMMANDS.showLog };
export const CHOOSE_MODEL_ACTION: UserAction = {
  label: 'Choose a model file',
  id: EDITOR_COMMANDS.openSettings,
  arguments: [MODEL_PATH_SETTING],
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
