import { commands } from 'vscode';
import { type ChatCapabilities, type ChatRefusal, t } from '../../../../server/protocol/index.js';
import { notify } from '../../texts/notify.js';
import { type DescribedRefusal, describeRefusal, obstacleTo } from './describe-refusal.js';

/** Whether the chat model may be asked; the user is told what prevents it. */
export type MayAsk = () => Promise<boolean>;

/**
 * Tells the user what prevents an answer, with the way out.
 *
 * @param capabilities null if no server answers
 * @param bytesPerSecond how fast the last download was; null where nothing was downloaded yet
 * @returns whether nothing does
 */
export async function mayAsk(capabilities: ChatCapabilities | null, bytesPerSecond: number | null): Promise<boolean> {
  if (capabilities === null) {
    await tell({ text: t('The language server did not answer. The status bar shows the reason.'), actions: [] });
    return false;
  }
  const obstacle = obstacleTo(capabilities);
  if (obstacle === null) return true;
  await tell(describeRefusal(obstacle, bytesPerSecond));
  return false;
}

/** Says why the chat model did not answer. */
export async function tellRefusal(refusal: ChatRefusal): Promise<void> {
  await tell(describeRefusal({ refusal, instead: null }, null));
}

async function tell({ text, actions }: DescribedRefusal): Promise<void> {
  const chosen = await notify('information', `Inkling: ${text}`, ...actions.map(({ label }) => label));
  const action = actions.find(({ label }) => label === chosen);
  if (action !== undefined) await commands.executeCommand(action.command, action.argument);
}
