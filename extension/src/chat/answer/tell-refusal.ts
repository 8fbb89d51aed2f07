import { commands } from 'vscode';
import { type ChatRefusal, t } from '../../../../server/protocol/index.js';
import { INTERNAL_COMMANDS } from '../../manifest/command-ids.js';
import { CHOOSE_MODEL_ACTION, type UserAction } from '../../status/error-action.js';
import { notify } from '../../texts/notify.js';

/** Says why the chat model does not answer, with the way to an answer if there is one. */
export async function tellRefusal({ reason, message }: ChatRefusal): Promise<void> {
  const action = remedy(reason);
  const chosen = await notify('information', `Inkling: ${message}`, ...(action === null ? [] : [action.label]));
  if (chosen !== null && action !== null) await commands.executeCommand(action.command);
}

function remedy(reason: ChatRefusal['reason']): UserAction | null {
  switch (reason) {
    case 'off':
      return { label: t('Turn On'), command: INTERNAL_COMMANDS.turnOn };
    case 'noTemplate':
    case 'templateUnusable':
      return CHOOSE_MODEL_ACTION;
    case 'notReady':
    case 'questionTooLong':
    case 'badConversation':
    case 'engineFailed':
      return null;
  }
}
