import path from 'node:path';
import type { LogOutputChannel, SecretStorage } from 'vscode';
import { Downloads } from '../download/downloads.js';
import { describeError } from '../log.js';
import { AccessToken } from './access-token.js';
import { DownloadRunner } from './download-runner.js';
import { ModelFetcher } from './model-fetcher.js';
import { ModelPicker, type PickerOptions } from './model-picker.js';
import { ModelUse, type ModelUseOptions } from './model-use.js';

export interface ModelsOptions
  extends Pick<PickerOptions, 'repositoryUrl' | 'modelPath' | 'chatModelPath' | 'remoteUrl' | 'request'>,
    Pick<ModelUseOptions, 'writeModelPath' | 'writeContextLength' | 'writeChatModelPath' | 'clearRemoteUrl'> {
  /** The extension's own folder on the machine that runs it. */
  readonly storageFolder: string;
  readonly secrets: SecretStorage;
  readonly log: LogOutputChannel;
}

/** Finding, downloading and choosing models: connects the parts. */
export class Models {
  readonly #downloads: Downloads;
  readonly #runner: DownloadRunner;
  readonly #picker: ModelPicker;
  readonly #log: LogOutputChannel;

  constructor({
    storageFolder,
    secrets,
    log,
    writeModelPath,
    writeContextLength,
    writeChatModelPath,
    clearRemoteUrl,
    ...shared
  }: ModelsOptions) {
    this.#log = log;
    const { request, repositoryUrl, modelPath } = shared;
    const store = path.join(storageFolder, 'models');
    const token = new AccessToken(secrets);
    const use = new ModelUse({
      store,
      request,
      writeModelPath,
      writeContextLength,
      writeChatModelPath,
      clearRemoteUrl,
    });
    this.#downloads = new Downloads({
      store,
      repositoryUrl,
      token: (origin) => token.get(origin),
      inspect: (partialFile) => use.inspect(partialFile),
    });
    this.#runner = new DownloadRunner({
      downloads: this.#downloads,
      token,
      repositoryUrl,
      modelPath,
      use: (arrived) => this.#picker.usePath(arrived),
      log: (message) => log.info(message),
    });
    const fetcher = new ModelFetcher({ downloads: this.#downloads, runner: this.#runner, repositoryUrl, modelPath });
    this.#picker = new ModelPicker({ ...shared, downloads: this.#downloads, runner: this.#runner, fetcher, use });
  }

  async pick(): Promise<void> {
    await this.#picker.show();
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
