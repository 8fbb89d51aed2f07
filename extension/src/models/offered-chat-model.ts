import { commands } from 'vscode';
import {
  CHAT_CAPABILITIES_REQUEST,
  type ChatCapabilities,
  type ChatCapabilitiesParams,
  type ModelOffer,
  t,
} from '../../../server/protocol/index.js';
import { INKLING_COMMANDS } from '../manifest/command-ids.js';
import { notify } from '../texts/notify.js';

/** Of a model that is not on this machine. */
export type DownloadOffer = ModelOffer & { readonly download: NonNullable<ModelOffer['download']> };

export interface OfferedModelParts {
  /** A request to the language server; null if it does not answer. */
  readonly request: <T>(method: string, parameters: object) => Promise<T | null>;
  /** Folder of downloaded models. */
  readonly store: string;
  readonly use: (path: string) => Promise<unknown>;
  readonly download: (offer: DownloadOffer) => Promise<void>;
}

/**
 * Uses the model that the chat panel or a notification offers for chat; downloads it if it is not on this machine.
 *
 * @param offerId of the model that the button names: no other one is used or downloaded in its place
 */
export async function useOfferedChatModel(offerId: unknown, parts: OfferedModelParts): Promise<void> {
  const parameters: ChatCapabilitiesParams = { storeDirectory: parts.store };
  const capabilities = await parts.request<ChatCapabilities>(CHAT_CAPABILITIES_REQUEST, parameters);
  if (capabilities === null) {
    void notify('information', t('The language server did not answer. The status bar shows the reason.'));
    return;
  }
  const offer = capabilities.kind === 'cannotChat' ? capabilities.instead : null;
  if (offer === null || offer.id !== offerId) await tellOutdated(capabilities);
  else if (offer.path !== null) await parts.use(offer.path);
  else if (isDownload(offer)) await parts.download(offer);
}

function isDownload(offer: ModelOffer): offer is DownloadOffer {
  return offer.download !== null;
}

/** A button may stand for long: by then memory is less, a file gone, or another model chosen. */
async function tellOutdated(capabilities: ChatCapabilities): Promise<void> {
  if (capabilities.kind === 'canChat') {
    void notify('information', t('{0} answers in the chat now.', capabilities.modelName));
    return;
  }
  const choose = t('Choose a Model');
  const message = t('This model no longer fits, or is no longer here. Choose another one.');
  if ((await notify('information', message, choose)) === choose) {
    await commands.executeCommand(INKLING_COMMANDS.pickModel);
  }
}
