import { isDeepStrictEqual } from 'node:util';
import {
  commands,
  env,
  type QuickInputButton,
  type QuickPickItem,
  QuickPickItemKind,
  ThemeIcon,
  Uri,
  window,
} from 'vscode';
import {
  LIST_MODELS_REQUEST,
  type ListModelsParams,
  type ModelList,
  type ModelOffer,
  t,
} from '../../../server/protocol/index.js';
import type { DownloadUse } from '../download/download-record.js';
import type { Downloads } from '../download/downloads.js';
import type { ModelDownload } from '../download/model-download.js';
import { parseReference, referenceOf } from '../download/model-source.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from '../manifest/command-ids.js';
import { confirm, notify, showNotice } from '../texts/notify.js';
import type { DownloadRunner } from './download-runner.js';
import type { ModelFetcher } from './model-fetcher.js';
import type { ModelUse } from './model-use.js';
import {
  describeFailure,
  describeSlowness,
  type PickerButton,
  type PickerChoice,
  type PickerRow,
  pickerRows,
  pickerTitle,
  type TypedChoice,
  type UnfinishedDownload,
} from './picker-rows.js';
import { receivedBytesOf } from './progress-text.js';
import type { RunOrTell } from './run-or-tell.js';
import { typedPath } from './typed-path.js';

export interface PickerOptions {
  readonly downloads: Downloads;
  readonly runner: DownloadRunner;
  readonly fetcher: ModelFetcher;
  readonly use: ModelUse;
  readonly repositoryUrl: () => string;
  readonly modelPath: () => string;
  readonly chatModelPath: () => string;
  readonly remoteUrl: () => string;
  /** A request to the language server, which starts if necessary; null if it does not answer. */
  readonly request: <T>(method: string, parameters: object) => Promise<T | null>;
  readonly orTell: RunOrTell;
}

interface Item extends QuickPickItem {
  readonly choice?: PickerChoice;
  readonly buttons?: readonly (QuickInputButton & { readonly action: PickerButton })[];
}

/** `Inkling: Choose Model`: every model for this machine in one list. */
export class ModelPicker {
  readonly #options: PickerOptions;

  constructor(options: PickerOptions) {
    this.#options = options;
  }

  async show(): Promise<void> {
    const choice = await this.#choose();
    if (choice !== null) await this.#act(choice);
  }

  /** Null if the user chose nothing, or if the server does not answer. */
  #choose(): Promise<PickerChoice | null> {
    const { orTell } = this.#options;
    const quickPick = window.createQuickPick<Item>();
    quickPick.title = t('Choose a model');
    quickPick.placeholder = t('Search, or enter owner/repository to download');
    quickPick.matchOnDescription = true;
    quickPick.busy = true;
    let list: ModelList | null = null;
    let shown: readonly PickerRow[] = [];
    const refresh = async (): Promise<void> => {
      if (list === null) return;
      const unfinished = (await this.#options.downloads.unfinished()).map(describeDownload);
      const typed = this.#typed(quickPick.value);
      const { modelPath, chatModelPath, remoteUrl } = this.#options;
      const chosen = { modelPath: modelPath(), chatModelPath: chatModelPath(), remoteUrl: remoteUrl() };
      const contents = { list, ...chosen, unfinished, typed };
      const rows = pickerRows(contents);
      // VS Code goes back to the first row, which Enter would then choose.
      if (isDeepStrictEqual(rows, shown)) return;
      shown = rows;
      quickPick.items = rows.map(toItem);
    };
    const load = async (): Promise<void> => {
      const parameters: ListModelsParams = { storeDirectory: this.#options.downloads.store };
      list = await this.#options.request<ModelList>(LIST_MODELS_REQUEST, parameters);
      quickPick.busy = false;
      if (list === null)
        quickPick.placeholder = t('The language server does not answer. The status bar shows the reason.');
      else quickPick.title = pickerTitle(list);
      await refresh();
    };
    const orTellWhy = (show: () => Promise<void>) =>
      orTell(show, (reason) => t('The list of models cannot be shown: {0}', reason));
    const reload = () => orTellWhy(load);
    return new Promise((resolve) => {
      quickPick.onDidChangeValue(() => void orTellWhy(refresh));
      quickPick.onDidTriggerItemButton(async ({ item, button }) => {
        const { action } = button as QuickInputButton & { readonly action: PickerButton };
        const { choice } = item;
        if (choice !== undefined) {
          await orTell(
            () => this.#press(action, choice),
            (reason) => describeFailure(action, choice, reason),
          );
        }
        await reload();
      });
      quickPick.onDidAccept(() => {
        // Enter comes before the row of what was typed fast: there is none, or that of a part of it.
        const selected = quickPick.selectedItems[0]?.choice ?? null;
        const isListed = selected !== null && selected.kind !== 'reference' && selected.kind !== 'file';
        const choice = isListed ? selected : (this.#typed(quickPick.value) ?? selected);
        if (choice === null) return;
        resolve(choice);
        quickPick.hide();
      });
      quickPick.onDidHide(() => {
        quickPick.dispose();
        resolve(null);
      });
      quickPick.show();
      void reload();
    });
  }

  /** Null for a text that only searches the list. */
  #typed(text: string): TypedChoice | null {
    const path = typedPath(text);
    if (path !== null) return { kind: 'file', path };
    const isReference = parseReference(text, this.#options.repositoryUrl()) !== null;
    return isReference ? { kind: 'reference', text: text.trim() } : null;
  }

  async #act(choice: PickerChoice): Promise<void> {
    const { fetcher, repositoryUrl } = this.#options;
    switch (choice.kind) {
      case 'offer':
        await this.#take(choice.offer);
        break;
      case 'unfinished': {
        const unfinished = await this.#options.downloads.unfinished();
        const isThere = unfinished.some(({ modelPath }) => modelPath === choice.modelPath);
        // It may have ended while the list was open.
        if (isThere) await this.#press(choice.running ? 'pause' : 'resume', choice);
        else await this.show();
        break;
      }
      case 'browse':
        await this.#browse();
        break;
      case 'file':
        await this.usePath(choice.path);
        break;
      case 'ask': {
        const reference = await fetcher.askForReference();
        if (reference !== null) await fetcher.fetch(reference, null);
        break;
      }
      case 'both':
        await this.#options.use.useForBoth();
        break;
      case 'machine':
        await commands.executeCommand(INKLING_COMMANDS.useRemote);
        break;
      case 'reference': {
        const reference = parseReference(choice.text, repositoryUrl());
        if (reference !== null) await fetcher.fetch(reference, null);
        break;
      }
    }
  }

  /**
   * Uses a local model and downloads any other. If a model is refused, it continues with the alternative that the user
   * chooses.
   */
  async #take(offer: ModelOffer): Promise<void> {
    if (offer.download !== null) {
      if (offer.refusal !== null) {
        await this.#reportRefusal(offer.refusal.message);
        return;
      }
      const { download, name } = offer;
      await this.#options.fetcher.fetch(referenceOf(download), name, useOf(offer), describeSlowness(offer));
      return;
    }
    await this.usePath(offer.source === 'starter' ? '' : (offer.path ?? ''));
  }

  /** Before the download of gigabytes that could not be used. */
  async #reportRefusal(reason: string): Promise<void> {
    const another = t('Choose Another');
    if ((await notify('warning', `${reason}.`, another)) === another) await this.show();
  }

  /** @param isAsked by the user, not by the end of a download */
  async usePath(path: string, isAsked = true): Promise<void> {
    const alternative = await this.#options.use.use(path, isAsked);
    if (alternative !== null) await this.#take(alternative);
  }

  async #browse(): Promise<void> {
    const [file] =
      (await window.showOpenDialog({
        title: t('Choose a GGUF file'),
        openLabel: t('Use'),
        filters: { [t('GGUF models')]: ['gguf'], [t('All files')]: ['*'] },
      })) ?? [];
    if (file !== undefined) await this.usePath(file.fsPath);
  }

  async #press(action: PickerButton, choice: PickerChoice): Promise<void> {
    const { downloads, runner } = this.#options;
    if (choice.kind === 'offer' && choice.offer.path !== null) {
      if (action === 'chat') await this.#options.use.useForChat(choice.offer.path);
      if (action === 'reveal') await reveal(choice.offer.path);
      if (action === 'delete') await this.#remove(choice.offer);
    }
    if (choice.kind !== 'unfinished') return;
    const download = (await downloads.unfinished()).find(({ modelPath }) => modelPath === choice.modelPath);
    if (download === undefined) return;
    if (action === 'pause') await download.pause();
    if (action === 'resume') void runner.run(download);
    if (action === 'discard') await runner.discard(download);
  }

  async #remove({ name, paths, path }: ModelOffer): Promise<void> {
    const message = t('Delete {0} from this machine?', name);
    if (!(await confirm('warning', message, t('Delete')))) return;
    // Switches to the starter model before the file is deleted.
    if (path === this.#options.modelPath()) await this.#options.use.useStarter();
    if (path === this.#options.chatModelPath()) await this.#options.use.useForBoth();
    await this.#options.downloads.remove(paths);
  }
}

/** A model that nobody says was trained for suggestions comes for chat; its row then offers it for both. */
function useOf({ fimTrained, nextEdits, capabilities }: ModelOffer): DownloadUse {
  return capabilities.chat && !fimTrained && !nextEdits ? 'chat' : 'suggestions';
}

/** A remote extension host has no file manager. */
async function reveal(path: string): Promise<void> {
  if (env.remoteName === undefined) {
    await commands.executeCommand(EDITOR_COMMANDS.revealFile, Uri.file(path));
    return;
  }
  await env.clipboard.writeText(path);
  showNotice(t('Path copied: {0}', path));
}

function describeDownload(download: ModelDownload): UnfinishedDownload {
  const { modelPath, record, state, isRunning } = download;
  const running = isRunning ? 'here' : download.isBusyElsewhere() ? 'elsewhere' : 'nowhere';
  return {
    modelPath,
    label: record.label,
    running,
    receivedBytes: receivedBytesOf(state),
    totalBytes: state.totalBytes,
  };
}

const ICONS: Readonly<Record<PickerButton, string>> = {
  chat: 'comment-discussion',
  delete: 'trash',
  reveal: 'folder-opened',
  pause: 'debug-pause',
  resume: 'play',
  discard: 'trash',
};

function buttonTooltip(button: PickerButton): string {
  switch (button) {
    case 'chat':
      return t('Use for chat only');
    case 'delete':
      return t('Delete from this machine');
    case 'reveal':
      return t('Show file');
    case 'pause':
      return t('Pause');
    case 'resume':
      return t('Resume');
    case 'discard':
      return t('Cancel and delete the partial download');
  }
}

function toItem(row: PickerRow): Item {
  if (row.kind === 'separator') return { label: row.label, kind: QuickPickItemKind.Separator };
  const buttons = row.buttons.map((action) => ({
    iconPath: new ThemeIcon(ICONS[action]),
    tooltip: buttonTooltip(action),
    action,
  }));
  // The filter must not hide what the user has typed.
  const alwaysShow = row.choice.kind === 'reference' || row.choice.kind === 'file';
  const { label, description, detail, choice } = row;
  return { label, description, detail, buttons, choice, alwaysShow };
}
