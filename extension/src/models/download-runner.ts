import { commands, Disposable, env, StatusBarAlignment, Uri, window } from 'vscode';
import { formatPercent, t } from '../../../server/protocol/index.js';
import { type AccessProblem, type DownloadError, toDownloadError } from '../download/download-error.js';
import { isStillChosen } from '../download/download-record.js';
import type { Downloads } from '../download/downloads.js';
import type { DownloadOutcome, ModelDownload } from '../download/model-download.js';
import { INKLING_COMMANDS } from '../manifest/command-ids.js';
import { describeError } from '../texts/log.js';
import { confirm, notify, notifyProgress, showNotice } from '../texts/notify.js';
import type { AccessToken } from './access-token.js';
import { discardQuestion, progressText, totalPercent } from './progress-text.js';
import type { RunOrTell } from './run-or-tell.js';

export interface RunnerOptions {
  readonly downloads: Downloads;
  readonly token: AccessToken;
  readonly repositoryUrl: () => string;
  /** The current model setting. */
  readonly modelPath: () => string;
  /** Empty for this machine. */
  readonly remoteUrl: () => string;
  /** Uses a model that has just been downloaded, because the user asks for it now, or asked for it before. */
  readonly use: (modelPath: string, isAsked: boolean) => Promise<void>;
  /** Uses it for chat alone, and returns whether it can. */
  readonly useForChat: (modelPath: string) => Promise<boolean>;
  /** Keeps how fast the last download was, in bytes a second. */
  readonly rememberRate: (bytesPerSecond: number) => void;
  readonly orTell: RunOrTell;
  readonly log: (message: string) => void;
}

/** VS Code gives a window that closes some seconds. */
const CLOSED_AFTER_MS = 6_000;

/** Shows running downloads, and handles their outcomes. */
export class DownloadRunner implements Disposable {
  readonly #statusItem = window.createStatusBarItem('inkling.download', StatusBarAlignment.Right, 99);
  readonly #shown = new Set<ModelDownload>();
  /** Those that have run in this window. */
  readonly #begun = new WeakSet<ModelDownload>();
  #resuming: NodeJS.Timeout | null = null;
  readonly #windowState: Disposable;
  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#statusItem.name = t('Inkling: model download');
    this.#statusItem.command = INKLING_COMMANDS.pickModel;
    this.#windowState = window.onDidChangeWindowState(({ focused }) => {
      if (focused) this.#resumeSoon();
    });
  }

  dispose(): void {
    if (this.#resuming !== null) clearTimeout(this.#resuming);
    this.#windowState.dispose();
    this.#statusItem.dispose();
  }

  /** Resumes downloads that an earlier window left running, or another one that was closed. */
  async resumeUnfinished(): Promise<void> {
    for (const download of await this.#options.downloads.leftRunning()) {
      // The user knows of those that failed in this window.
      if (!this.#begun.has(download)) void this.run(download, false);
    }
  }

  /** A user who closes a window comes to another one. */
  #resumeSoon(): void {
    if (this.#resuming !== null) clearTimeout(this.#resuming);
    const resume = () => {
      this.resumeUnfinished().catch((error: unknown) => {
        this.#options.log(`Unfinished downloads cannot be taken over: ${describeError(error)}`);
      });
    };
    this.#resuming = setTimeout(resume, CLOSED_AFTER_MS);
  }

  /**
   * Runs a download to its end, with a notification and the percentage in the status bar. Never rejects.
   *
   * @param isAsked by the user, who is then told if another window downloads it
   */
  async run(download: ModelDownload, isAsked = true): Promise<void> {
    const { label } = download.record;
    if (this.#shown.has(download)) {
      // Its notification may be hidden. A button that was pressed does not do nothing.
      if (isAsked) showNotice(t('{0} is being downloaded.', label));
      return;
    }
    await this.#options.orTell(
      () => this.#runToEnd(download, isAsked),
      (reason) => t('{0}: {1}', label, reason),
    );
  }

  async #runToEnd(download: ModelDownload, isAsked: boolean): Promise<void> {
    this.#shown.add(download);
    this.#begun.add(download);
    const { label } = download.record;
    this.#options.log(`Downloading ${label} to ${download.modelPath}`);
    let outcome: DownloadOutcome | null = null;
    try {
      outcome = await this.#runShown(download);
    } finally {
      this.#shown.delete(download);
      // A window that closes has no status bar any more.
      if (outcome?.kind !== 'suspended') this.#showStatus();
    }
    switch (outcome.kind) {
      case 'suspended':
        break;
      case 'done':
        this.#options.log(`Downloaded ${download.modelPath}`);
        this.#options.downloads.forget(download);
        // The settings may refuse to be written, for example while their file has unsaved changes.
        await this.#options.orTell(
          () => this.#offerUse(download),
          (reason) => t('{0} is downloaded, but cannot be used: {1}', label, reason),
        );
        break;
      case 'cancelled':
        this.#options.downloads.forget(download);
        break;
      case 'paused':
        void this.#reportPause(download);
        break;
      case 'failed':
        this.#options.log(`The download of ${label} failed (${outcome.error.kind}): ${outcome.error.message}`);
        // Windows that VS Code opens together all resume it, and one of them has it.
        if (isAsked || outcome.error.kind !== 'busyElsewhere') await this.#reportFailure(download, outcome.error);
        break;
    }
  }

  async #runShown(download: ModelDownload): Promise<DownloadOutcome> {
    // VS Code closes the notification by a button that it calls Cancel.
    const title = t('Downloading {0} (Cancel pauses it)', download.record.label);
    return await notifyProgress(title, async (report, closed) => {
      let reported = 0;
      const seen: { rate: number | null } = { rate: null };
      const show = (): void => {
        const { percent, line } = progressText(download.state);
        const rate = download.state.kind === 'downloading' ? download.state.bytesPerSecond : null;
        if (rate !== null && rate > 0) seen.rate = rate;
        report({ message: line, increment: Math.max(0, (percent ?? 0) - reported) });
        reported = Math.max(reported, percent ?? 0);
        this.#showStatus();
      };
      const subscription = throttled(download, show);
      closed.addEventListener('abort', () => void download.pause());
      show();
      try {
        return await download.start();
      } finally {
        subscription.dispose();
        if (seen.rate !== null) this.#options.rememberRate(seen.rate);
      }
    });
  }

  /** Asks a user who has chosen another model meanwhile, or a remote server; otherwise uses the downloaded model. */
  async #offerUse(download: ModelDownload): Promise<void> {
    const { modelPath, record } = download;
    if (record.use === 'chat') {
      const isUsed = await this.#options.useForChat(modelPath);
      if (isUsed) showNotice(t('{0} is downloaded. It answers in chat.', record.label));
      return;
    }
    const { modelPath: modelNow, remoteUrl } = this.#options;
    const isChosen = isStillChosen(download, modelNow(), remoteUrl());
    if (!isChosen) {
      const use = t('Use It');
      const message = t('{0} is downloaded.', record.label);
      if ((await notify('information', message, use)) !== use) return;
    }
    await this.#options.use(modelPath, !isChosen);
  }

  async #reportPause(download: ModelDownload): Promise<void> {
    const resume = t('Resume');
    const discard = t('Delete Partial Download');
    const message = t('The download of {0} is paused. The partial download is kept.', download.record.label);
    const answer = await notify('information', message, resume, discard);
    if (answer === resume) await this.run(download);
    if (answer === discard) await this.discard(download);
  }

  /** Asks first where the bytes took a while to come. */
  async discard(download: ModelDownload): Promise<void> {
    const question = discardQuestion(download.record.label, download.state);
    if (question !== null && !(await confirm('warning', question, t('Delete')))) return;
    try {
      if (await download.cancel()) this.#options.downloads.forget(download);
      else void notify('information', t('Another window is downloading {0}. Its files stay.', download.record.label));
    } catch (error) {
      void notify('error', toDownloadError(error).message);
    }
  }

  async #reportFailure(download: ModelDownload, error: DownloadError): Promise<void> {
    if (error.kind === 'unauthorized') {
      if (await this.askForAccess(download.record.repository, error)) await this.run(download);
      return;
    }
    const retry = t('Try Again');
    const choose = t('Choose a Model');
    const [action] = error.kind === 'unusable' || error.kind === 'notFound' ? [choose] : [retry];
    const message = t('{0}: {1}', download.record.label, error.message);
    const answer = await notify('error', message, action);
    if (answer === retry) await this.run(download);
    if (answer === choose) await commands.executeCommand(INKLING_COMMANDS.pickModel);
  }

  /** @returns whether another attempt may succeed */
  async askForAccess(repository: string | null, error: DownloadError): Promise<boolean> {
    const url = this.#hubOf(error);
    const enter = t('Enter Token');
    const open = t('Open Model Page');
    const hasPage = repository !== null && error.access === 'conditions';
    const answer = await notify('warning', describeAccess(error), ...(hasPage ? [enter, open] : [enter]));
    if (answer === open) await env.openExternal(Uri.parse(`${url}/${repository}`));
    return answer === null ? false : await this.#options.token.ask(url);
  }

  /** The setting may have changed since the request. */
  #hubOf({ origin }: DownloadError): string {
    const url = this.#options.repositoryUrl();
    return origin === null || new URL(url).origin === origin ? url : origin;
  }

  #showStatus(): void {
    if (this.#shown.size === 0) {
      this.#statusItem.hide();
      return;
    }
    const all = [...this.#shown];
    const percent = totalPercent(all.map(({ state }) => state));
    this.#statusItem.text = `$(cloud-download) ${percent === null ? '…' : formatPercent(percent)}`;
    this.#statusItem.tooltip = all
      .map(({ record, state }) => `${record.label}: ${progressText(state).line}`)
      .join('\n');
    this.#statusItem.show();
  }
}

function describeAccess({ access, message }: { readonly access: AccessProblem; readonly message: string }): string {
  switch (access) {
    case 'conditions':
      return t('{0} Accept the conditions on the model page, then enter an access token.', message);
    case 'hidden':
      return t('{0} Check the name, or enter an access token.', message);
    case 'token':
      return t('{0} Enter another one, or delete it by leaving the field empty.', message);
  }
}

const SHOW_EVERY_MS = 250;

/** Hundreds of chunks arrive each second; nobody reads faster than this. */
function throttled(download: ModelDownload, show: () => void): Disposable {
  let timer: NodeJS.Timeout | null = null;
  const subscription = download.onDidChange(() => {
    timer ??= setTimeout(() => {
      timer = null;
      show();
    }, SHOW_EVERY_MS);
  });
  return new Disposable(() => {
    if (timer !== null) clearTimeout(timer);
    subscription.dispose();
  });
}
