import {
  type ChatCapabilities,
  type ChatRefusal,
  formatFileSize,
  type ModelOffer,
  t,
} from '../../../../server/protocol/index.js';
import { INTERNAL_COMMANDS } from '../../manifest/command-ids.js';
import { CHOOSE_MODEL_ACTION, type UserAction } from '../../status/error-action.js';
import { formatDuration } from '../../texts/format-quantity.js';

/** Assumed where nothing was downloaded yet; the text says so. */
const ORDINARY_LINE_MBIT = 50;

/** Why the chat model does not answer, and what would help; the likeliest first. */
export interface DescribedRefusal {
  readonly text: string;
  readonly actions: readonly UserAction[];
}

type Refused = Omit<Extract<ChatCapabilities, { readonly kind: 'cannotChat' }>, 'kind'>;

/** What prevents any answer until the user does something; null for nothing. A model may still load. */
export function obstacleTo(capabilities: ChatCapabilities): Refused | null {
  return capabilities.kind === 'canChat' || remedies(capabilities.refusal.reason).length === 0 ? null : capabilities;
}

/** @param bytesPerSecond how fast the last download was; null where nothing was downloaded yet */
export function describeRefusal({ refusal, instead }: Refused, bytesPerSecond: number | null): DescribedRefusal {
  const { message } = refusal;
  if (instead !== null) return describeInstead(message, instead, bytesPerSecond);
  return { text: message, actions: remedies(refusal.reason) };
}

function remedies(reason: ChatRefusal['reason']): readonly UserAction[] {
  switch (reason) {
    case 'off':
      return [{ label: t('Turn On'), command: INTERNAL_COMMANDS.turnOn }];
    case 'noTemplate':
    case 'templateUnusable':
      return [CHOOSE_MODEL_ACTION];
    case 'notReady':
    case 'questionTooLong':
    case 'badConversation':
    case 'engineFailed':
      return [];
  }
}

/** One click away from a chat model: one that is on this machine, or else the smallest that fits. */
function describeInstead(message: string, offer: ModelOffer, bytesPerSecond: number | null): DescribedRefusal {
  const { id, name, path, fileBytes } = offer;
  const use = { command: INTERNAL_COMMANDS.useOfferedChatModel, argument: id };
  if (path !== null) {
    const text = t('{0} {1} can, and is on this machine already.', message, name);
    return { text, actions: [{ label: t('Use {0}', name), ...use }, CHOOSE_MODEL_ACTION] };
  }
  const other = t('{0} {1} can, and runs on this machine.', message, name);
  const size = formatFileSize(fileBytes);
  const text = t('{0} It is a download of {1}, {2}.', other, size, downloadTime(fileBytes, bytesPerSecond));
  return { text, actions: [{ label: t('Download {0}', name), ...use }, CHOOSE_MODEL_ACTION] };
}

/** As long as the last download suggests, or on an ordinary line. */
function downloadTime(bytes: number, bytesPerSecond: number | null): string {
  if (bytesPerSecond !== null) return t('about {0}', formatDuration(bytes / bytesPerSecond));
  const seconds = bytes / ((ORDINARY_LINE_MBIT * 1e6) / 8);
  return t('about {0} at {1} Mbit/s', formatDuration(seconds), ORDINARY_LINE_MBIT);
}
