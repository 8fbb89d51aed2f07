import { commands, Disposable, env, ProgressLocation, StatusBarAlignment, Uri, window } from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from '../command-ids.js';
import type { DownloadError } from '../download/download-error.js';
import type { Downloads } from '../download/downloads.js';
import type { ModelDownload } from '../download/model-download.js';
import type { AccessToken } from './access-token.js';
import { plainText } from './plain-text.js';
import { progressText, totalPercent } from './progress-text.js';

export interface RunnerOptions {
  readonly downloads: Downloads;
  readonly token: AccessToken;
  readonly repositoryUrl: () => string;
  /** The current model setting. */
  readonly modelPath: () => string;
  /** Uses a model that has just been downloaded. */
  readonly use: (modelPath: string) => Promise<void>;
  readonly log: (message: string) => void;
}

/** Shows running downloads, and handles their outcomes. */
export class DownloadRunner implements Disposable {
  readonly #statusItem = window.createStatusBarItem('inkling.download', StatusBarAlignment.Right, 99);
  readonly #shown = new Set<ModelDownload>();
  readonly #registration = commands.registerCommand(INTERNAL_COMMANDS.pauseDownload, (modelPath: unknown) =>
    this.#pause(modelPath),
  );

  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#statusItem.name = t('Inkling: model download');
    this.#statusItem.command = INKLING_COMMANDS.pickModel;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#statusItem.dispose();
  }

  /** Resumes downloads that an earlier window left running. */
  async resumeUnfinished(): Promise<void> {
    for (const download of await this.#options.downloads.unfinished()) {
      if (download.record.state === 'running' && !(await download.isBusyElsewhere())) void this.run(download);
    }
  }

  /** Runs a download to its end, with a notification and the percentage in the status bar. */
  async run(download: ModelDownload): Promise<void> {
    if (this.#shown.has(download)) return;
    this.#shown.add(download);
    const { label } = download.record;
    this.#options.log(`Downloading ${label} to ${download.modelPath}`);
    const outcome = await window.withProgress(
      { location: ProgressLocation.Notification, title: t('Downloading {0}', label), cancellable: true },
      async (progress, cancellation) => {
        let reported = 0;
        const pause = `[${t('Pause')}](${pauseLink(download)})`;
        const show = (): void => {
          const { percent, line } = progressText(download.state);
          progress.report({ message: `${line} · ${pause}`, increment: Math.max(0, (percent ?? 0) - reported) });
          reported = Math.max(reported, percent ?? 0);
          this.#showStatus();
        };
        const subscription = throttled(download, show);
        cancellation.onCancellationRequested(() => void download.pause());
        show();
        try {
          return await download.start();
        } finally {
          subscription.dispose();
        }
      },
    );
    this.#shown.delete(download);
    if (outcome.kind === 'suspended') return;
    this.#showStatus();
    switch (outcome.kind) {
      case 'done':
        this.#options.log(`Downloaded ${download.modelPath}`);
        this.#options.downloads.forget(download);
        await this.#offerUse(download);
        break;
      case 'cancelled':
        this.#options.downloads.forget(download);
        break;
      case 'paused':
        void this.#reportPause(download);
        break;
      case 'failed':
        this.#options.log(`The download of ${label} failed (${outcome.error.kind}): ${outcome.error.message}`);
        await this.#reportFailure(download, outcome.error);
        break;
    }
  }

  /** Asks a user who has chosen another model meanwhile; otherwise uses the downloaded model. */
  async #offerUse({ modelPath, record }: ModelDownload): Promise<void> {
    if (this.#options.modelPath() !== record.modelPathBefore) {
      const use = t('Use It');
      const message = t('{0} is downloaded.', record.label);
      if ((await window.showInformationMessage(message, use)) !== use) return;
    }
    await this.#options.use(modelPath);
  }

  async #reportPause(download: ModelDownload): Promise<void> {
    const resume = t('Resume');
    const discard = t('Delete What Has Arrived');
    const message = t('The download of {0} is paused. What has arrived is kept.', download.record.label);
    const answer = await window.showInformationMessage(message, resume, discard);
    if (answer === resume) await this.run(download);
    if (answer === discard) await this.discard(download);
  }

  async discard(download: ModelDownload): Promise<void> {
    await download.cancel();
    this.#options.downloads.forget(download);
  }

  async #reportFailure(download: ModelDownload, error: DownloadError): Promise<void> {
    if (error.kind === 'unauthorized') {
      if (await this.askForAccess(download.record.repository, error)) await this.run(download);
      return;
    }
    const retry = t('Try Again');
    const choose = t('Choose a Model');
    const [action] = error.kind === 'unusable' || error.kind === 'notFound' ? [choose] : [retry];
    const message = plainText(t('{0}: {1}', download.record.label, error.message));
    const answer = await window.showErrorMessage(message, action);
    if (answer === retry) await this.run(download);
    if (answer === choose) await commands.executeCommand(INKLING_COMMANDS.pickModel);
  }

  /** @returns whether another attempt may succeed */
  async askForAccess(repository: string | null, error: DownloadError): Promise<boolean> {
    const url = this.#options.repositoryUrl();
    const enter = t('Enter Token');
    const open = t('Open the Page of the Model');
    const answer = await window.showWarningMessage(
      t('{0} Accept its conditions there, then enter an access token.', error.message),
      ...(repository === null ? [enter] : [enter, open]),
    );
    if (answer === open) await env.openExternal(Uri.parse(`${url}/${repository}`));
    return answer === undefined ? false : await this.#options.token.ask(url);
  }

  async #pause(modelPath: unknown): Promise<void> {
    for (const download of this.#shown) if (download.modelPath === modelPath) await download.pause();
  }

  #showStatus(): void {
    if (this.#shown.size === 0) {
      this.#statusItem.hide();
      return;
    }
    const all = [...this.#shown];
    const percent = totalPercent(all.map(({ state }) => state));
    this.#statusItem.text = `$(cloud-download) ${percent === null ? '…' : `${percent} %`}`;
    this.#statusItem.tooltip = all
      .map(({ record, state }) => `${record.label}: ${progressText(state).line}`)
      .join('\n');
    this.#statusItem.show();
  }
}

/** A button of a notification closes it; a link does not. */
function pauseLink({ modelPath }: ModelDownload): string {
  return `command:${INTERNAL_COMMANDS.pauseDownload}?${encodeURIComponent(JSON.stringify([modelPath]))}`;
}

const SHOW_EVERY_MS = 250;

/** Hundreds of chunks arrive each second; nobody reads faster than this. */
function throttled(download: ModelDownload, show: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const subscription = download.onDidChange(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      show();
    }, SHOW_EVERY_MS);
  });
  return new Disposable(() => {
    clearTimeout(timer);
    subscription.dispose();
  });
}
