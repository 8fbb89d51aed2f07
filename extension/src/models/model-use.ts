import {
  CHECK_CHAT_MODEL_REQUEST,
  CHECK_MODEL_REQUEST,
  type ChatModelCheck,
  type CheckChatModelParams,
  type CheckModelParams,
  type ModelCheck,
  type ModelOffer,
} from '../../../server/protocol/index.js';
import { notify } from '../texts/notify.js';
import { isInUse } from './picker-rows.js';
import { refusalText } from './refusal-choices.js';

export interface ModelUseOptions {
  readonly store: string;
  /** A request to the language server; null if it does not answer. */
  readonly request: <T>(method: string, parameters: object) => Promise<T | null>;
  /** Empty for the starter model. */
  readonly modelPath: () => string;
  /** Empty for none. */
  readonly remoteUrl: () => string;
  /** Empty for the starter model. */
  readonly writeModelPath: (path: string) => Promise<void>;
  readonly writeContextLength: (tokens: number) => Promise<void>;
  /** Empty if one model serves both. */
  readonly writeChatModelPath: (path: string) => Promise<void>;
  /** Clears the address of the remote server. */
  readonly clearRemoteUrl: () => Promise<void>;
  /** Loads the model of the settings, unless it is loaded. */
  readonly loadAgain: () => void;
}

/** Switches to a model once the server has checked its header. Until then, or if it is refused, the old model stays. */
export class ModelUse {
  readonly #options: ModelUseOptions;
  /** Counts the user's choices: the last one counts, whichever is checked first. */
  #choices = 0;
  #chatChoices = 0;

  constructor(options: ModelUseOptions) {
    this.#options = options;
  }

  /**
   * Also disconnects from a remote server: the user wants the local model in its place.
   *
   * @param path empty for the starter model
   * @param isAsked by the user; otherwise any choice since then counts more
   * @returns the alternative that the user wants instead of a refused model; null if nothing is left to do
   */
  async use(path: string, isAsked = true): Promise<ModelOffer | null> {
    if (isAsked) this.#choices += 1;
    const choice = this.#choices;
    const before = this.#options.modelPath();
    const check = await this.#check(path);
    if (choice !== this.#choices || (!isAsked && before !== this.#options.modelPath())) return null;
    if (check?.kind !== 'refused') {
      await this.#choose(path);
      return null;
    }
    const { contextLength, alternative } = check;
    const { modelPath, remoteUrl } = this.#options;
    const { message, choices } = refusalText(check, isInUse(alternative, modelPath(), remoteUrl()));
    const answer = await notify('warning', message, ...choices.map(({ label }) => label));
    const chosen = choices.find(({ label }) => label === answer)?.kind;
    if (chosen === 'chatOnly') await this.useForChat(path);
    if (chosen === 'shorterContext' && contextLength !== null) {
      this.#choices += 1;
      await this.#choose(path);
      await this.#options.writeContextLength(contextLength);
    }
    return chosen === 'alternative' ? alternative : null;
  }

  /** Switches to the starter model. */
  async useStarter(): Promise<void> {
    this.#choices += 1;
    await this.#options.writeModelPath('');
  }

  /**
   * Uses a model for chat only, if there is room for it beside the completion model.
   *
   * @param isAsked by the user; otherwise any choice since then counts more
   * @returns whether it is used
   */
  async useForChat(path: string, isAsked = true): Promise<boolean> {
    if (isAsked) this.#chatChoices += 1;
    const choice = this.#chatChoices;
    const parameters: CheckChatModelParams = { path };
    const check = await this.#options.request<ChatModelCheck>(CHECK_CHAT_MODEL_REQUEST, parameters);
    if (choice !== this.#chatChoices) return false;
    if (check !== null && check.error !== null) {
      void notify('warning', `${check.error.message}.`);
      return false;
    }
    await this.#options.writeChatModelPath(path);
    return true;
  }

  /** Uses one model for suggestions and chat again. */
  async useForBoth(): Promise<void> {
    this.#chatChoices += 1;
    await this.#options.writeChatModelPath('');
  }

  /**
   * Why the model can never be used here, judged by the beginning of its file; null if it can, or if that is unknown
   * yet.
   *
   * @param otherBytes what the other parts of a split model will have
   */
  async inspect(partialFile: string, otherBytes: number): Promise<string | null> {
    const check = await this.#check(partialFile, { partial: true, otherBytes });
    if (check?.kind !== 'refused') return null;
    const { code, message } = check.error;
    // An incomplete header decides nothing yet.
    return check.canChat || code === 'truncatedFile' || code === 'loadFailed' ? null : message;
  }

  async #choose(path: string): Promise<void> {
    const { modelPath, remoteUrl, writeModelPath, clearRemoteUrl, loadAgain } = this.#options;
    const isSame = path === modelPath() && remoteUrl() === '';
    await writeModelPath(path);
    await clearRemoteUrl();
    // No setting has changed, but the file may be there again, or memory free.
    if (isSame) loadAgain();
  }

  async #check(
    path: string,
    download: Pick<CheckModelParams, 'partial' | 'otherBytes'> = {},
  ): Promise<ModelCheck | null> {
    const parameters: CheckModelParams = { path, ...download, storeDirectory: this.#options.store };
    return await this.#options.request<ModelCheck>(CHECK_MODEL_REQUEST, parameters);
  }
}
