import { type QuickPickItem, window } from 'vscode';
import { formatFileSize, t } from '../../../server/protocol/index.js';
import { type DownloadError, toDownloadError } from '../download/download-error.js';
import type { DownloadUse } from '../download/download-record.js';
import type { DownloadPlan, Downloads } from '../download/downloads.js';
import { type ModelReference, parseReference, type RepositoryReference } from '../download/model-source.js';
import { offered, type RepositoryModel, selectModel, totalBytes } from '../download/repository.js';
import { DEFAULT_REPOSITORY_URL } from '../manifest/settings.js';
import { askText, confirm, notify, notifyProgress } from '../texts/notify.js';
import { plainText } from '../texts/plain-text.js';
import type { DownloadRunner } from './download-runner.js';

export interface FetcherOptions {
  readonly downloads: Downloads;
  readonly runner: DownloadRunner;
  readonly repositoryUrl: () => string;
  /** What the setting of it has instead of an address; null if nothing is amiss. */
  readonly invalidRepositoryUrl: () => string | null;
  readonly modelPath: () => string;
}

interface ModelItem extends QuickPickItem {
  readonly model: RepositoryModel;
}

/** From the user's reference to a running download: selects the file, shows its size and asks for confirmation. */
export class ModelFetcher {
  readonly #options: FetcherOptions;

  constructor(options: FetcherOptions) {
    this.#options = options;
  }

  /** Null if the user cancels. */
  async askForReference(): Promise<ModelReference | null> {
    const url = this.#options.repositoryUrl();
    const text = await askText({
      title: t('Download a model'),
      prompt: t('A repository, a file in a repository, or an address'),
      placeHolder: 'owner/repository:Q4_K_M',
      refuse: (value) =>
        value.trim() === '' || parseReference(value, url) !== null
          ? null
          : t('Enter owner/repository, owner/repository:file, or the address of a GGUF file.'),
    });
    return text === null ? null : parseReference(text, url);
  }

  /**
   * @param label the model's name for the user; null uses the file's name
   * @param warning what the user should know before the download; empty for nothing
   */
  async fetch(
    reference: ModelReference,
    label: string | null,
    use: DownloadUse = 'suggestions',
    warning = '',
  ): Promise<void> {
    await this.#begin(reference, label, use, (plan) => confirmDownload(plan, warning));
  }

  /** For a button that has said what it downloads, and how much. */
  async fetchAtOnce(reference: ModelReference, label: string, use: DownloadUse): Promise<void> {
    await this.#begin(reference, label, use, async () => true);
  }

  async #begin(
    reference: ModelReference,
    label: string | null,
    use: DownloadUse,
    confirmed: (plan: DownloadPlan) => Promise<boolean>,
  ): Promise<void> {
    const { downloads, runner, modelPath, invalidRepositoryUrl } = this.#options;
    const invalid = reference.kind === 'repository' ? invalidRepositoryUrl() : null;
    if (invalid !== null) {
      // A user who names another host must not reach this one because of a typing mistake.
      await notify('error', describeInvalidUrl(invalid));
      return;
    }
    try {
      const plan = await this.#plan(reference, label);
      if (plan === null || !(await confirmed(plan))) return;
      // Not awaited: the notification shows the download, and the picker is done.
      void runner.run(await downloads.prepare(plan, modelPath(), use));
    } catch (thrown) {
      const error = toDownloadError(thrown);
      const repository = reference.kind === 'repository' ? reference.repository : null;
      if (error.kind !== 'unauthorized') await notify('error', describe(reference, error));
      else if (await runner.askForAccess(repository, error)) await this.#begin(reference, label, use, confirmed);
    }
  }

  async #plan(reference: ModelReference, label: string | null): Promise<DownloadPlan | null> {
    const { downloads } = this.#options;
    if (reference.kind === 'url') return downloads.planForUrl(reference.url);
    const models = await this.#list(reference);
    if (models === null) return null;
    const model =
      reference.file === null ? await chooseModel(reference, offered(models)) : selectModel(models, reference.file);
    if (model === null) {
      const found = offered(models).map(({ name }) => name);
      await notify(
        'error',
        found.length === 0
          ? t('{0} contains no GGUF model.', reference.repository)
          : t('{0} has no file for {1}. It has {2}.', reference.repository, reference.file ?? '', found.join(', ')),
      );
      return null;
    }
    if (model === 'cancelled') return null;
    return downloads.planForModel(reference, model, label ?? fileName(model.name));
  }

  /** Null if the user cancels. */
  async #list(reference: RepositoryReference): Promise<readonly RepositoryModel[] | null> {
    const title = t('Listing the files of {0}', reference.repository);
    return await notifyProgress(title, (_report, signal) => this.#options.downloads.modelsOf(reference, signal));
  }
}

/** Null if there is none. */
async function chooseModel(
  { repository }: RepositoryReference,
  models: readonly RepositoryModel[],
): Promise<RepositoryModel | 'cancelled' | null> {
  if (models.length <= 1) return models[0] ?? null;
  const items: ModelItem[] = models.map((model) => ({
    label: plainText(fileName(model.name)),
    description: formatFileSize(totalBytes(model)),
    ...(model.files.length === 1 ? {} : { detail: t('In {0} parts', model.files.length) }),
    model,
  }));
  const placeHolder = t('Choose a model from {0}', repository);
  return (await window.showQuickPick(items, { title: t('Download a model'), placeHolder }))?.model ?? 'cancelled';
}

/** Asks before it downloads gigabytes, since a click may be an accident. */
async function confirmDownload(plan: DownloadPlan, warning: string): Promise<boolean> {
  const size = plan.totalBytes === null ? t('size unknown') : formatFileSize(plan.totalBytes);
  const { host } = new URL(plan.files[0]?.url ?? '');
  const message = t('Download {0} ({1}) from {2}?', plan.label, size, host);
  return await confirm('information', message, t('Download'), warning);
}

function describeInvalidUrl(written: string): string {
  return t('inkling.model.repositoryUrl is "{0}". Enter an address such as {1}.', written, DEFAULT_REPOSITORY_URL);
}

function describe(reference: ModelReference, error: DownloadError): string {
  return reference.kind === 'repository' ? `${reference.repository}: ${error.message}` : error.message;
}

function fileName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
