import {
  formatEstimate,
  formatFileSize,
  formatNumber,
  isFast,
  type ModelList,
  type ModelOffer,
  type ModelSource,
  type ModelSpeed,
  t,
} from '../../../server/protocol/index.js';
import { formatDuration, formatParameterCount } from '../texts/format-quantity.js';
import { plainText } from '../texts/plain-text.js';

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
  /** One model for suggestions and chat. */
  | { readonly kind: 'both' }
  /** A remote server. */
  | { readonly kind: 'machine' }
  | TypedChoice;

/** What the user typed into the picker: a repository or an address, or the path of a file. */
export type TypedChoice =
  | { readonly kind: 'reference'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

export type PickerButton = 'chat' | 'delete' | 'reveal' | 'pause' | 'resume' | 'discard';

export interface UnfinishedDownload {
  readonly modelPath: string;
  readonly label: string;
  /** `elsewhere`: another window downloads it. */
  readonly running: 'here' | 'elsewhere' | 'nowhere';
  readonly receivedBytes: number;
  readonly totalBytes: number | null;
}

export interface PickerContents {
  readonly list: ModelList;
  /** The model setting; empty for the starter model. */
  readonly modelPath: string;
  /** The chat model setting; empty if one model serves both. */
  readonly chatModelPath: string;
  /** Address of the remote server, which then completes instead of the model above; empty for none. */
  readonly remoteUrl: string;
  readonly unfinished: readonly UnfinishedDownload[];
  /** What the input's text names; null for nothing. */
  readonly typed: TypedChoice | null;
}

/** What a button failed to do. */
export function describeFailure(button: PickerButton, choice: PickerChoice, reason: string): string {
  const name = choice.kind === 'offer' ? choice.offer.name : '';
  switch (button) {
    case 'chat':
      return t('{0} cannot be used for chat: {1}', name, reason);
    case 'delete':
      return t('{0} cannot be deleted: {1}', name, reason);
    case 'reveal':
      return t('{0} cannot be shown: {1}', name, reason);
    case 'pause':
    case 'resume':
    case 'discard':
      return t('The download cannot be changed: {0}', reason);
  }
}

/** @param mean geometric mean of total and active parameters */
function quality(mean: number): string {
  if (mean >= 9e9) return t('excellent suggestions');
  if (mean >= 4e9) return t('very good suggestions');
  return mean >= 1e9 ? t('good suggestions') : t('simple suggestions');
}

/** Empty where nothing was measured that says enough. */
function describeSpeed(speed: ModelSpeed): string {
  const { promptSeconds, basis, atLeast } = speed;
  if (basis === 'assumed') return atLeast === null ? '' : t('at least {0} tokens/s', formatRate(atLeast));
  const text = rateText(speed);
  if (isFast(speed)) return text;
  return isFast({ ...speed, promptSeconds: 0 })
    ? t('slow here: {0} to read a new file', formatDuration(promptSeconds))
    : t('slow here: {0}', text);
}

/** For the question before a download of gigabytes; empty where the model is fast, or where that is unknown. */
export function describeSlowness({ speed }: Pick<ModelOffer, 'speed'>): string {
  if (speed.basis === 'assumed' || isFast(speed)) return '';
  return t(
    'It would be slow on this machine: {0}, and {1} to read a new file.',
    rateText(speed),
    formatDuration(speed.promptSeconds),
  );
}

/** The text of a speed that was measured or predicted. */
function rateText({ tokensPerSecond, basis }: ModelSpeed): string {
  const rate = formatRate(tokensPerSecond);
  return basis === 'measured' ? t('{0} tokens/s', rate) : t('about {0} tokens/s', rate);
}

/** In two digits: a prediction knows no more. Never zero, which would say that nothing comes at all. */
function formatRate(tokensPerSecond: number): string {
  if (tokensPerSecond < 0.095) return formatNumber(Math.max(0.01, tokensPerSecond), 2);
  if (tokensPerSecond < 9.95) return formatNumber(tokensPerSecond, 1);
  return String(tokensPerSecond < 100 ? Math.round(tokensPerSecond) : Math.round(tokensPerSecond / 10) * 10);
}

export function pickerTitle({ memoryBytes }: ModelList): string {
  return t('Choose a model · {0} memory', formatFileSize(memoryBytes));
}

export function pickerRows({
  list,
  modelPath,
  chatModelPath,
  remoteUrl,
  unfinished,
  typed,
}: PickerContents): readonly PickerRow[] {
  const begun = new Set(unfinished.map((download) => download.modelPath));
  const row = (offer: ModelOffer): PickerRow =>
    offerRow(offer, isChosen(offer), offer.path !== null && offer.path === chatModelPath);
  const isRecommended = ({ id }: ModelOffer): boolean => id === list.recommendedId;
  const isChosen = (offer: ModelOffer): boolean => isInUse(offer, modelPath, remoteUrl);
  const rowsOf = (...sources: readonly ModelSource[]): PickerRow[] =>
    list.offers
      .filter((offer) => sources.includes(offer.source) && !isRecommended(offer) && !begun.has(offer.path ?? ''))
      .map(row);
  return [
    ...(typed === null ? [] : [typedRow(typed)]),
    ...section(t('Recommended'), list.offers.filter(isRecommended).map(row)),
    ...section(t('Included with Inkling'), rowsOf('starter')),
    ...section(t('Unfinished downloads'), unfinished.map(unfinishedRow)),
    ...section(t('Downloaded by Inkling'), rowsOf('download')),
    ...section(t('Found on this machine'), rowsOf('huggingFaceCache', 'lmStudio', 'ollama', 'llamaCppCache')),
    ...section(t('Available to download'), rowsOf('catalogue')),
    ...section(t('More options'), [
      ...(chatModelPath === ''
        ? []
        : [
            action(
              { kind: 'both' },
              t('$(combine) One model for suggestions and chat'),
              t('Chat uses the suggestion model'),
            ),
          ]),
      fileRow(
        modelPath !== '' && remoteUrl === '' && !list.offers.some(isChosen) ? modelPath : null,
        chatModelPath !== '' && !list.offers.some(({ path }) => path === chatModelPath) ? chatModelPath : null,
      ),
      action(
        { kind: 'ask' },
        t('$(globe) A repository or an address…'),
        t('owner/repository, owner/repository:file or an https address. You can also type it above'),
      ),
      machineRow(remoteUrl),
    ]),
  ];
}

function typedRow(typed: TypedChoice): PickerRow {
  return typed.kind === 'reference'
    ? action(typed, t('$(cloud-download) Download {0}', typed.text), '')
    : action(typed, t('$(file) Use {0}', plainText(typed.path)), t('A GGUF file on this machine'));
}

/**
 * @param chosen the file in use if no other row is about it; otherwise null
 * @param chats likewise, of the file in use for chat
 */
function fileRow(chosen: string | null, chats: string | null): PickerRow {
  const uses = [
    chosen === null ? '' : t('{0}, in use', plainText(chosen)),
    chats === null ? '' : t('{0}, in use for chat', plainText(chats)),
  ].filter((use) => use !== '');
  const detail = uses.length === 0 ? t('A GGUF file on this machine') : uses.join(' · ');
  if (chosen !== null) return action({ kind: 'browse' }, t('$(check) A file…'), detail);
  const label = chats === null ? t('$(folder-opened) A file…') : t('$(comment-discussion) A file…');
  return action({ kind: 'browse' }, label, detail);
}

function machineRow(remoteUrl: string): PickerRow {
  return remoteUrl === ''
    ? action(
        { kind: 'machine' },
        t('$(remote) Remote server…'),
        t('Connect to llama-server, vLLM, Ollama or another OpenAI-compatible server'),
      )
    : action({ kind: 'machine' }, t('$(check) Remote server…'), t('{0}, in use', remoteUrl));
}

function section(label: string, rows: readonly PickerRow[]): readonly PickerRow[] {
  return rows.length === 0 ? [] : [{ kind: 'separator', label }, ...rows];
}

function action(choice: PickerChoice, label: string, detail: string): PickerRow {
  return { kind: 'choice', choice, label, description: '', detail, buttons: [] };
}

/** Whether the model completes code now; the last two are the settings. */
export function isInUse({ source, path }: ModelOffer, modelPath: string, remoteUrl: string): boolean {
  if (remoteUrl !== '') return false;
  return source === 'starter' ? modelPath === '' || path === modelPath : path !== null && path === modelPath;
}

function offerRow(offer: ModelOffer, inUse: boolean, chats: boolean): PickerRow {
  const icon = inUse
    ? '$(check) '
    : chats
      ? '$(comment-discussion) '
      : isForChatOnly(offer)
        ? '$(comment) '
        : offer.refusal !== null
          ? '$(circle-slash) '
          : '';
  // A narrow list, as at 200 % zoom, cuts the end of a line. The icon also shows which model is in use.
  const parts = [
    sizeText(offer),
    inUse ? t('in use') : '',
    chats ? t('in use for chat') : '',
    offer.fileBytes === 0 ? '' : formatParameterCount(offer.parameterCount),
    offer.quantization,
    ...capabilities(offer),
    sourceName(offer.source),
  ];
  return {
    kind: 'choice',
    choice: { kind: 'offer', offer },
    label: icon + plainText(offer.name),
    description: parts.filter((part) => part !== '').join(' · '),
    detail: offerDetail(offer),
    buttons: buttonsFor(offer, inUse || chats),
  };
}

/** Empty for a file that is missing. */
function sizeText({ download, fileBytes }: ModelOffer): string {
  if (fileBytes === 0) return '';
  return download === null ? formatFileSize(fileBytes) : t('{0} download', formatFileSize(fileBytes));
}

/** The verdict comes first, since the end of a line may be cut; the title has the machine's memory. */
function offerDetail(offer: ModelOffer): string {
  const { fit, memoryBytes, refusal, speed } = offer;
  const isOutOfMemory = refusal?.code === 'outOfMemory';
  if (refusal !== null && !isOutOfMemory && !isForChatOnly(offer)) return plainText(`${refusal.message}.`);
  const need = formatEstimate(memoryBytes);
  if (fit === 'tooLarge' || isOutOfMemory) return t('Too large: needs {0} of memory', need);
  const { use, reservation } = describeUse(offer);
  const costs =
    fit === 'tight'
      ? [t('tight: needs {0}', need), describeSpeed(speed)]
      : [describeSpeed(speed), t('needs {0}', need)];
  return [use, ...costs, reservation].filter((part) => part !== '').join(' · ');
}

/** @returns what the model is for, and what speaks against suggestions by it; empty for nothing */
function describeUse(offer: ModelOffer): { readonly use: string; readonly reservation: string } {
  const { parameterCount, activeParameterCount, fimTrained, nextEdits, capabilities } = offer;
  if (isForChatOnly(offer)) return { use: t('for chat only'), reservation: t('no fill-in-the-middle tokens') };
  if (fimTrained) return { use: quality(Math.sqrt(parameterCount * activeParameterCount)), reservation: '' };
  if (nextEdits) return { use: t('for next edits'), reservation: '' };
  const untrained = t('not known to be trained for suggestions');
  return capabilities.chat ? { use: t('for chat'), reservation: untrained } : { use: untrained, reservation: '' };
}

function isForChatOnly({ path, refusal, capabilities: { chat } }: ModelOffer): boolean {
  return refusal?.code === 'noFimTokens' && chat && path !== null;
}

/** Technical terms, since people compare models by them. The tokens alone are no training. */
function capabilities({ fimTrained, capabilities: { fim, mtp, chat } }: ModelOffer): readonly string[] {
  return [fim && fimTrained ? 'FIM' : '', mtp ? 'MTP' : '', chat ? t('chat') : ''];
}

function buttonsFor({ source, path, capabilities: { chat } }: ModelOffer, inUse: boolean): readonly PickerButton[] {
  if (path === null || source === 'starter') return [];
  const own: readonly PickerButton[] = source === 'download' ? ['reveal', 'delete'] : ['reveal'];
  return chat && !inUse ? ['chat', ...own] : own;
}

function sourceName(source: ModelSource): string {
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

function unfinishedRow(download: UnfinishedDownload): PickerRow {
  const { modelPath, label, running, receivedBytes, totalBytes } = download;
  const received = formatFileSize(receivedBytes);
  const isHere = running === 'here';
  const row = {
    kind: 'choice',
    choice: { kind: 'unfinished', modelPath, running: isHere },
    label: `$(${running === 'nowhere' ? 'debug-pause' : 'sync~spin'}) ${plainText(label)}`,
    description: totalBytes === null ? received : t('{0} of {1}', received, formatFileSize(totalBytes)),
  } as const;
  // Only that window can pause it.
  if (running === 'elsewhere') return { ...row, detail: t('Another window is downloading it.'), buttons: [] };
  return {
    ...row,
    detail: isHere ? t('Downloading. Select to pause.') : t('Paused. Select to resume.'),
    buttons: [isHere ? 'pause' : 'resume', 'discard'],
  };
}
