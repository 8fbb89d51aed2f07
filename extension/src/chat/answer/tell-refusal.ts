import { commands } from 'vscode';
import type { ChatRefusal } from '../../../../server/protocol/index.js';
import { CHOOSE_MODEL_ACTION } from '../../status/error-action.js';
import { notify } from '../../texts/notify.js';

/** Says why the chat model does not answer, with the way to another one if that would help. */
export async function tellRefusal({ reason, message }: ChatRefusal): Promise<void> {
  const { label, command } = CHOOSE_MODEL_ACTION;
  const helps = reason === 'noTemplate' || reason === 'templateUnusable';
  const chosen = await notify('information', `Inkling: ${message}`, ...(helps ? [label] : []));
  if (chosen !== null) await commands.executeCommand(command);
}
