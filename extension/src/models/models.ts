import path from 'node:path';
import type { LogOutputChannel, Memento, SecretStorage } from 'vscode';
import { isNumber } from '../../../server/protocol/index.js';
import { Downloads } from '../download/downloads.js';
import { referenceOf } from '../download/model-source.js';
import { describeError } from '../texts/log.js';
import { notify } from '../texts/notify.js';
import { AccessToken } from './access-token.js';
import { DownloadRunner } from './download-runner.js';
import { type FetcherOptions, ModelFetcher } from './model-fetcher.js';
import { ModelPicker, type PickerOptions } from './model-picker.js';
import { ModelUse, type ModelUseOptions } from './model-use.js';
import { useOfferedChatModel } from './offered-chat-model.js';
import { runOrTell } from './run-or-tell.js';

export interface ModelsOptions
  extends Pick<PickerOptions, 'repositoryUrl' | 'modelPath' | 'chatModelPath' | 'remoteUrl' | 'request'>,
    Pick<FetcherOptions, 'invalidRepositoryUrl'>,
    Pick<
      ModelUseOptions,
      'writeModelPath' | 'writeContextLength' | 'writeChatModelPath' | 'clearRemoteUrl' | 'loadAgain'
    > {
  /** The extension's own folder on the machine that runs it. */
  readonly storageFolder: string;
  readonly secrets: SecretStorage;
  /** What VS Code remembers on this machine. */
  readonly memento: Memento;
  readonly log: LogOutputChannel;
}

const RATE_KEY = 'inkling.downloadRate';

/** How fast the last download to this machine was, in bytes a second; null where nothing was downloaded yet. */
export function lastDownloadRate(memento: Memento): number | null {
  const stored = memento.get<unknown>(RATE_KEY);
  return isNumber(stored, 1, 1e12) ? stored : null;
}

/** Where downloaded models are. */
export function modelsFolder(storageFolder: string): string {
  return path.join(storageFolder, 'models');
}

/** Finding, downloading and choosing models: connects the parts. */
export class Models {
  readonly #downloads: Downloads;
  readonly #runner: DownloadRunner;
  readonly #picker: ModelPicker;
  readonly #fetcher: ModelFetcher;
  readonly #use: ModelUse;
  readonly #request: ModelsOptions['request'];
  readonly #log: LogOutputChannel;

  constructor({
    storageFolder,
    secrets,
    memento,
    log,
    writeModelPath,
    writeContextLength,
    writeChatModelPath,
    clearRemoteUrl,
    loadAgain,
    invalidRepositoryUrl,
    ...shared
  }: ModelsOptions) {
    this.#log = log;
    this.#request = shared.request;
    const { request, repositoryUrl, modelPath, remoteUrl } = shared;
    const store = modelsFolder(storageFolder);
    const token = new AccessToken(secrets, (message) => log.error(message));
    const use = new ModelUse({
      store,
      request,
      modelPath,
      remoteUrl,
      writeModelPath,
      writeContextLength,
      writeChatModelPath,
      clearRemoteUrl,
      loadAgain,
    });
    this.#use = use;
    this.#downloads = new Downloads({
      store,
      repositoryUrl,
      token: (origin) => token.get(origin),
      inspect: (partialFile, otherBytes) => use.inspect(partialFile, otherBytes),
    });
    const orTell = runOrTell((sentence, thrown) => {
      log.error(`An action with a model failed: ${describeError(thrown)}`);
      void notify('error', sentence);
    });
    this.#runner = new DownloadRunner({
      downloads: this.#downloads,
      token,
      repositoryUrl,
      modelPath,
      remoteUrl,
      use: (arrived, isAsked) => this.#picker.usePath(arrived, isAsked),
      useForChat: (arrived) => use.useForChat(arrived, false),
      rememberRate: (bytesPerSecond) => void memento.update(RATE_KEY, bytesPerSecond),
      orTell,
      log: (message) => log.info(message),
    });
    const fetcher = new ModelFetcher({
      downloads: this.#downloads,
      runner: this.#runner,
      ...{ repositoryUrl, invalidRepositoryUrl, modelPath },
    });
    this.#fetcher = fetcher;
    const parts = { downloads: this.#downloads, runner: this.#runner, fetcher, use, orTell };
    this.#picker = new ModelPicker({ ...shared, ...parts });
  }

  async pick(): Promise<void> {
    await this.#picker.show();
  }

  /** @param offerId of the model that the chat panel, or a notification, offers */
  async useOfferedChatModel(offerId: unknown): Promise<void> {
    await useOfferedChatModel(offerId, {
      request: this.#request,
      store: this.#downloads.store,
      use: (path) => this.#use.useForChat(path),
      download: ({ name, download }) => this.#fetcher.fetchAtOnce(referenceOf(download), name, 'chat'),
    });
  }

  /** Resumes downloads that an earlier window left running. */
  resumeDownloads(): void {
    this.#runner.resumeUnfinished().catch((error: unknown) => {
      this.#log.error(`Unfinished downloads cannot be taken up again: ${describeError(error)}`);
    });
  }

  /** The next window resumes running downloads. */
  async dispose(): Promise<void> {
    this.#runner.dispose();
    await this.#downloads.dispose();
  }
}
