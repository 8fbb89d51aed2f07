import type { ModelList, ModelOffer, ModelSource } from '../../../server/protocol/index.js';
import { formatFileSize, formatParameterCount } from '../format-quantity.js';

/** `l10n.t`; a plain formatter in tests. */
export type Translate = (message: string, ...values: (string | number)[]) => string;

/** What the model picker shows, as data: model-picker.ts turns it into VS Code's objects. */
export type PickerRow =
  | { readonly kind: 'separator'; readonly label: string }
  | {
      readonly kind: 'choice';
      readonly choice: PickerChoice;
      readonly label: string;
      readonly description: string;
      readonly detail: string;
      readonly buttons: readonly PickerButton[];
    };

export type PickerChoice =
  | { readonly kind: 'offer'; readonly offer: ModelOffer }
  | { readonly kind: 'unfinished'; readonly modelPath: string; readonly running: boolean }
  | { readonly kind: 'browse' }
  | { readonly kind: 'ask' }
  /** What the user typed into the picker: a repository or an address. */
  | { readonly kind: 'reference'; readonly text: string };

export type PickerButton = 'delete' | 'reveal' | 'pause' | 'resume' | 'discard';

export interface UnfinishedDownload {
  readonly modelPath: string;
  readonly label: string;
  readonly running: boolean;
  readonly receivedBytes: number;
  readonly totalBytes: number | null;
}

export interface PickerContents {
  readonly list: ModelList;
  /** The model setting; empty for the starter model. */
  readonly modelPath: string;
  readonly unfinished: readonly UnfinishedDownload[];
  /** What stands in the input, if it names a repository or an address. */
  readonly typed: string | null;
}

/** Above these geometric means of all and of active parameters, suggestions are that good. */
const QUALITY = [
  [9e9, 'excellent suggestions'],
  [4e9, 'very good suggestions'],
  [1e9, 'good suggestions'],
  [0, 'simple suggestions'],
] as const;

/** Up to so many active parameters, a model is that fast. */
const SPEED = [
  [1e9, 'very fast'],
  [4e9, 'fast'],
  [9e9, 'fast with a GPU'],
  [Number.POSITIVE_INFINITY, 'needs a strong GPU'],
] as const;

export function pickerTitle({ memoryBytes }: ModelList, t: Translate): string {
  return t('The model that completes code, on a machine with {0} of memory', formatFileSize(memoryBytes));
}

export function pickerRows({ list, modelPath, unfinished, typed }: PickerContents, t: Translate): readonly PickerRow[] {
  const begun = new Set(unfinished.map((download) => download.modelPath));
  const row = (offer: ModelOffer): PickerRow => offerRow(offer, isInUse(offer, modelPath), t);
  const isRecommended = ({ id }: ModelOffer): boolean => id === list.recommendedId;
  const rowsOf = (...sources: readonly ModelSource[]): PickerRow[] =>
    list.offers
      .filter((offer) => sources.includes(offer.source) && !isRecommended(offer) && !begun.has(offer.path ?? ''))
      .map(row);
  const typedRows: PickerRow[] =
    typed === null ? [] : [action({ kind: 'reference', text: typed }, t('$(cloud-download) Download {0}', typed), '')];
  return [
    ...typedRows,
    ...section(t('Recommended for this machine'), list.offers.filter(isRecommended).map(row)),
    ...section(t('Comes with Inkling'), rowsOf('starter')),
    ...section(
      t('Not finished'),
      unfinished.map((download) => unfinishedRow(download, t)),
    ),
    ...section(t('Downloaded by Inkling'), rowsOf('download')),
    ...section(t('Found on this machine'), rowsOf('huggingFaceCache', 'lmStudio', 'ollama', 'llamaCppCache')),
    ...section(t('For download'), rowsOf('catalogue')),
    ...section(t('Something else'), [
      action({ kind: 'browse' }, t('$(folder-opened) A file…'), t('A GGUF file on this machine')),
      action(
        { kind: 'ask' },
        t('$(globe) A repository or an address…'),
        t('owner/repository, owner/repository:file or an https address; it can be typed here as well'),
      ),
    ]),
  ];
}

function section(label: string, rows: readonly PickerRow[]): readonly PickerRow[] {
  return rows.length === 0 ? [] : [{ kind: 'separator', label }, ...rows];
}

function action(choice: PickerChoice, label: string, detail: string): PickerRow {
  return { kind: 'choice', choice, label, description: '', detail, buttons: [] };
}

function isInUse({ source, path }: ModelOffer, modelPath: string): boolean {
  return source === 'starter' ? modelPath === '' || path === modelPath : path !== null && path === modelPath;
}

function offerRow(offer: ModelOffer, inUse: boolean, t: Translate): PickerRow {
  const icon = inUse ? '$(check) ' : offer.refusal !== null ? '$(circle-slash) ' : '';
  const parts = [
    inUse ? t('in use') : '',
    formatParameterCount(offer.parameterCount),
    offer.quantization,
    offer.fileBytes === null ? '' : formatFileSize(offer.fileBytes),
    ...capabilities(offer, t),
    sourceName(offer.source, t),
  ];
  return {
    kind: 'choice',
    choice: { kind: 'offer', offer },
    label: icon + offer.name,
    description: parts.filter((part) => part !== '').join(' · '),
    detail: offerDetail(offer, t),
    buttons: buttonsFor(offer),
  };
}

/** Short enough for one line of the list; the title says what the machine has. */
function offerDetail(offer: ModelOffer, t: Translate): string {
  const { parameterCount, activeParameterCount, memoryBytes, fit, refusal } = offer;
  const memory = t('needs about {0}', formatFileSize(memoryBytes));
  if (refusal?.code === 'outOfMemory') return t('{0}: more than this machine can give', memory);
  if (refusal !== null) return `${refusal.message}.`;
  const mean = Math.sqrt(parameterCount * activeParameterCount);
  const quality = QUALITY.find(([least]) => mean >= least)?.[1] ?? QUALITY[3][1];
  const speed = SPEED.find(([most]) => activeParameterCount <= most)?.[1] ?? SPEED[3][1];
  const need = fit === 'tight' ? t('{0}, little is left', memory) : memory;
  return [need, t(quality), t(speed)].join(', ');
}

/** In the words of the field, since they are what models are compared by. */
function capabilities({ capabilities: { fim, mtp, chat } }: ModelOffer, t: Translate): readonly string[] {
  return [fim ? 'FIM' : '', mtp ? 'MTP' : '', chat ? t('chat') : ''];
}

function buttonsFor({ source, path }: ModelOffer): readonly PickerButton[] {
  if (path === null || source === 'starter') return [];
  return source === 'download' ? ['reveal', 'delete'] : ['reveal'];
}

function sourceName(source: ModelSource, t: Translate): string {
  switch (source) {
    case 'huggingFaceCache':
      return t('Hugging Face cache');
    case 'lmStudio':
      return 'LM Studio';
    case 'ollama':
      return 'Ollama';
    case 'llamaCppCache':
      return t('llama.cpp cache');
    case 'starter':
    case 'download':
    case 'catalogue':
    case 'file':
      return '';
  }
}

function unfinishedRow(download: UnfinishedDownload, t: Translate): PickerRow {
  const { modelPath, label, running, receivedBytes, totalBytes } = download;
  const received = formatFileSize(receivedBytes);
  return {
    kind: 'choice',
    choice: { kind: 'unfinished', modelPath, running },
    label: running ? `$(sync~spin) ${label}` : `$(debug-pause) ${label}`,
    description: totalBytes === null ? received : t('{0} of {1}', received, formatFileSize(totalBytes)),
    detail: running ? t('Downloading. Choose it to pause.') : t('Paused. Choose it to go on.'),
    buttons: [running ? 'pause' : 'resume', 'discard'],
  };
}
