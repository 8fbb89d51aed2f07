import { window } from 'vscode';
import {
  CHECK_CHAT_MODEL_REQUEST,
  CHECK_MODEL_REQUEST,
  type ChatModelCheck,
  type CheckChatModelParams,
  type CheckModelParams,
  type ModelCheck,
  type ModelOffer,
  t,
} from '../../../server/protocol/index.js';

import { plainText } from './plain-text.js';

export interface ModelUseOptions {
  readonly store: string;
  /** Of the language server; null where it does not answer. */
  readonly request: <T>(method: string, parameters: object) => Promise<T | null>;
  /** Empty for the starter model. */
  readonly writeModelPath: (path: string) => Promise<void>;
  readonly writeContextLength: (tokens: number) => Promise<void>;
  /** Empty where one model serves both. */
  readonly writeChatModelPath: (path: string) => Promise<void>;
  /** Names no engine on another machine any more. */
  readonly leaveMachine: () => Promise<void>;
}

/** Puts a model to use, after the server has looked at its header. Until then, and if it is refused, the old one stays. */
export class ModelUse {
  readonly #options: ModelUseOptions;

  constructor(options: ModelUseOptions) {
    this.#options = options;
  }

  /**
   * Whoever chooses a model of this machine wants it in place of another machine's, too.
   *
   * @param path empty for the starter model
   * @returns the alternative that the user wants instead of a refused model; null where nothing is left to do
   */
  async use(path: string): Promise<ModelOffer | null> {
    const check = await this.#check(path);
    if (check?.kind !== 'refused') {
      await this.#choose(path);
      return null;
    }
    const { error, contextLength, canChat, alternative } = check;
    const instead = t('Use {0}', plainText(alternative.name));
    const forChat = t('Use It for Chat Only');
    const shorten = t('Use {0} Tokens of Context', contextLength ?? 0);
    const message =
      contextLength === null
        ? t('{0}. {1} would work here.', plainText(error.message), plainText(alternative.name))
        : t('{0}. It would work here with {1} tokens.', plainText(error.message), contextLength);
    const own = contextLength !== null ? [shorten] : canChat ? [forChat] : [];
    const answer = await window.showWarningMessage(message, ...own, instead);
    if (answer === forChat) await this.useForChat(path);
    if (answer === shorten && contextLength !== null) {
      await this.#choose(path);
      await this.#options.writeContextLength(contextLength);
    }
    return answer === instead ? alternative : null;
  }

  /** The starter model takes the place of the one that was chosen. */
  async giveUp(): Promise<void> {
    await this.#options.writeModelPath('');
  }

  /** Has a model chat and nothing else, where there is room for it beside the one that completes. */
  async useForChat(path: string): Promise<void> {
    const parameters: CheckChatModelParams = { path };
    const check = await this.#options.request<ChatModelCheck>(CHECK_CHAT_MODEL_REQUEST, parameters);
    if (check === null || check.error === null) await this.#options.writeChatModelPath(path);
    else void window.showWarningMessage(plainText(`${check.error.message}.`));
  }

  /** Suggestions and chat from one model again. */
  async useForBoth(): Promise<void> {
    await this.#options.writeChatModelPath('');
  }

  /** Why the model whose beginning lies in a file can never be used here; null where it can, or nobody knows yet. */
  async inspect(partialFile: string): Promise<string | null> {
    const check = await this.#check(partialFile, true);
    if (check?.kind !== 'refused') return null;
    const { code, message } = check.error;
    // A header that has not arrived as a whole says nothing yet.
    return check.canChat || code === 'truncatedFile' || code === 'loadFailed' ? null : message;
  }

  async #choose(path: string): Promise<void> {
    await this.#options.writeModelPath(path);
    await this.#options.leaveMachine();
  }

  async #check(path: string, partial = false): Promise<ModelCheck | null> {
    const parameters: CheckModelParams = { path, partial, storeDirectory: this.#options.store };
    return await this.#options.request<ModelCheck>(CHECK_MODEL_REQUEST, parameters);
  }
}
