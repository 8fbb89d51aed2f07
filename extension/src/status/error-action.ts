import { type EngineErrorCode, t } from '../../../server/protocol/index.js';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from '../manifest/command-ids.js';

/** An action of the user: `command` is the id of a command of VS Code or Inkling. */
export interface UserAction {
  readonly label: string;
  readonly command: string;
  /** Only for buttons: links and menus run commands without arguments. */
  readonly argument?: string;
}

/** @param label called each time it is shown, since the user's language is unknown while this module loads */
export function userAction(label: () => string, command: string): UserAction {
  return {
    get label() {
      return label();
    },
    command,
  };
}

export const RESTART_ACTION = userAction(() => t('Restart'), INKLING_COMMANDS.restart);
export const SHOW_LOG_ACTION = userAction(() => t('Show log'), INKLING_COMMANDS.showLog);
export const CHOOSE_MODEL_ACTION = userAction(() => t('Choose a model'), INKLING_COMMANDS.pickModel);

export const USE_ONE_MODEL_ACTION = userAction(() => t('Use one model for both'), INKLING_COMMANDS.useOneModel);
export const REMOTE_SERVER_ACTION = userAction(() => t('Remote server'), INKLING_COMMANDS.useRemote);
const USE_STARTER_ACTION = userAction(() => t('Use the starter model'), INTERNAL_COMMANDS.useStarter);
const TRY_AGAIN_ACTION = userAction(() => t('Try again'), INKLING_COMMANDS.load);
const DEVICE_SETTING_ACTION = userAction(() => t('Change the setting'), INTERNAL_COMMANDS.openDeviceSetting);
const REMOTE_MODEL_ACTION = userAction(() => t('Change the setting'), INTERNAL_COMMANDS.openRemoteModelSetting);
const SET_KEY_ACTION = userAction(() => t('Set remote API key'), INKLING_COMMANDS.setRemoteKey);

/** The one action that may help. */
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
    case 'crashedWithModel':
      return USE_STARTER_ACTION;
    case 'deviceUnknown':
      return DEVICE_SETTING_ACTION;
    case 'modelCrashed':
    case 'gpuGivenUp':
    case 'deviceUnusable':
    case 'remoteUnreachable':
    case 'remoteFailed':
    case 'remoteSlow':
    case 'ownerLost':
      return TRY_AGAIN_ACTION;
    case 'remoteUnauthorized':
      return SET_KEY_ACTION;
    case 'remoteModelUnknown':
      return REMOTE_MODEL_ACTION;
    case 'remoteNotFound':
      return REMOTE_SERVER_ACTION;
    case 'invalidArgument':
    case 'loadFailed':
    case 'loadCancelled':
    case 'alreadyLoaded':
    case 'notLoaded':
    case 'closed':
    case 'promptTooLong':
    case 'decodeFailed':
    case 'deviceFailed':
    case 'deviceLost':
    case 'internal':
      return RESTART_ACTION;
  }
}
