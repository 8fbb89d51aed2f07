import {
  type ChatEngineStatus,
  type CompletionSummary,
  currentTranslations,
  describeUnknownLanguage,
  type EngineErrorCode,
  type EngineState,
  type InklingStatus,
  type MemorySummary,
  type RemoteSummary,
  refuseLanguage,
  t,
  type UnloadReason,
} from '../../server/protocol/index.js';
import type { EditedLanguage } from './active-language.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from './command-ids.js';
import {
  actionForError,
  CHOOSE_MODEL_ACTION,
  OTHER_MACHINE_ACTION,
  RESTART_ACTION,
  SHOW_LOG_ACTION,
  type UserAction,
  userAction,
} from './error-action.js';
import { formatFileSize, formatMemoryUse, formatMilliseconds, formatParameterCount } from './format-quantity.js';
import { describeBudget, describePart, memoryParts, memoryWarning } from './memory/memory-parts.js';

/** What the status bar shows, as data: status-bar.ts turns it into VS Code's objects. */
export interface StatusView {
  /** May begin with a codicon, `$(name)`. */
  readonly text: string;
  /** What a screen reader reads instead of the text. */
  readonly accessibleText: string;
  readonly color: 'normal' | 'warning' | 'error';
  /** First line of the tooltip. */
  readonly headline: string;
  /** Rows below it. Values may contain text from a model file: never Markdown. */
  readonly rows: readonly TooltipRow[];
  /** Links at the end of the tooltip. */
  readonly links: readonly UserAction[];
  readonly click: UserAction;
}

export interface TooltipRow {
  readonly label: string;
  readonly value: string;
  /** Share of the memory in use, from 0 to 1, drawn as a bar; null for no bar. */
  readonly share: number | null;
}

const SHOW_PANEL_ACTION = userAction(() => t('Open the Inkling panel'), EDITOR_COMMANDS.showPanel);
const PAUSE_ACTION = userAction(() => t('Pause'), INKLING_COMMANDS.toggle);
const SNOOZE_ACTION = userAction(() => t('Snooze'), INKLING_COMMANDS.snooze);
const WAKE_ACTION = userAction(() => t('End snooze'), INKLING_COMMANDS.snooze);
const WHY_ACTION = userAction(() => t('Why no suggestion?'), INKLING_COMMANDS.whyNoSuggestion);
const SHOW_MEMORY_ACTION = userAction(() => t('Memory'), INKLING_COMMANDS.showMemory);
const FREE_CACHES_ACTION = userAction(() => t('Free caches'), INKLING_COMMANDS.freeCaches);
const UNLOAD_ACTION = userAction(() => t('Unload'), INKLING_COMMANDS.unload);
const LOAD_ACTION = userAction(() => t('Load the model'), INKLING_COMMANDS.load);
const RESUME_ACTION = userAction(() => t('Resume'), INKLING_COMMANDS.toggle);

/**
 * @param snoozedUntil milliseconds since the epoch, while suggestions are snoozed
 * @param edited the language of the active editor; null where it does not matter
 */
export function statusView(
  status: InklingStatus,
  snoozedUntil: number | null = null,
  edited: EditedLanguage | null = null,
): StatusView {
  const { state, memory, remote } = status;
  const snoozed = snoozedUntil !== null && (state.kind === 'ready' || state.kind === 'working');
  const unknownLanguage = snoozed ? null : describeUnknown(status, edited);
  const stateInWords = snoozed
    ? t('Snoozed until {0}', clock(snoozedUntil))
    : (unknownLanguage ?? describeState(state, remote));
  const warning = memory === null ? null : memoryWarning(memory);
  const headline = warning === null ? stateInWords : t('{0}. {1}', stateInWords, warning);
  const shown = snoozed ? SNOOZED : appearance(status, unknownLanguage === null);
  return {
    ...shown,
    color: shown.color === 'normal' && warning !== null ? 'warning' : shown.color,
    accessibleText: t('Inkling: {0}', headline),
    headline,
    rows: tooltipRows(status),
    links: snoozed ? [WAKE_ACTION, RESTART_ACTION, SHOW_LOG_ACTION] : links(state, remote),
  };
}

const SNOOZED = { text: '$(bell-slash) Inkling', color: 'normal', click: WAKE_ACTION } as const;

function clock(time: number): string {
  return new Date(time).toLocaleTimeString(currentTranslations().language, { hour: '2-digit', minute: '2-digit' });
}

/** Why the model makes no suggestions in this language by itself; null where it does, or makes none anyway. */
function describeUnknown({ state, model }: InklingStatus, edited: EditedLanguage | null): string | null {
  if (state.kind !== 'ready' || model === null || edited === null) return null;
  const refusal = refuseLanguage(edited, model.languages, edited.languageId);
  return refusal === 'languageUnknown' ? describeUnknownLanguage(model, edited.languageId) : null;
}

/** One sentence for the user, without details. */
export function describeState(state: EngineState, remote: RemoteSummary | null): string {
  switch (state.kind) {
    case 'loading':
      return remote === null
        ? t('Loading the model, {0}', percent(state.progress))
        : t('Connecting to {0}', remote.host);
    case 'ready':
      return remote === null ? t('Ready') : t('Ready on {0}', remote.host);
    case 'working':
      return t('Generating a suggestion');
    case 'unloaded':
      return describeUnloaded(state.reason);
    case 'paused':
      return t('Paused');
    case 'error':
      return retriesAutomatically(state.error.code)
        ? t('{0}. Retrying automatically', state.error.message)
        : state.error.message;
  }
}

/** A host may be unreachable for a while; Inkling retries automatically. */
function retriesAutomatically(code: EngineErrorCode): boolean {
  return code === 'remoteUnreachable';
}

function describeUnloaded(reason: UnloadReason): string {
  switch (reason) {
    case 'idle':
      return t('Unloaded while idle. The next key loads the model again');
    case 'battery':
      return t('Unloaded on battery power. The next key loads the model again');
    case 'user':
      return t('Unloaded');
    case 'memoryPressure':
      return t('Unloaded to free memory');
  }
}

/** The icon keeps its width between ready and working, so that nothing beside it moves. */
function appearance(status: InklingStatus, knowsLanguage: boolean): Pick<StatusView, 'text' | 'color' | 'click'> {
  const { state, memory, remote } = status;
  const inUse = remote === null ? memoryInText(memory) : ` ${t('on {0}', remote.host)}`;
  switch (state.kind) {
    case 'loading':
      return {
        text: `$(loading~spin) Inkling${remote === null ? ` ${percent(state.progress)}` : inUse}`,
        color: 'normal',
        click: SHOW_PANEL_ACTION,
      };
    case 'ready':
      return knowsLanguage
        ? { text: `$(pencil) Inkling${inUse}`, color: 'normal', click: SHOW_PANEL_ACTION }
        : { text: `$(circle-slash) Inkling${inUse}`, color: 'normal', click: CHOOSE_MODEL_ACTION };
    case 'working':
      return { text: `$(loading~spin) Inkling${inUse}`, color: 'normal', click: SHOW_PANEL_ACTION };
    case 'unloaded':
      return { text: `$(circle-outline) ${t('Inkling unloaded')}`, color: 'normal', click: LOAD_ACTION };
    case 'paused':
      return { text: `$(debug-pause) ${t('Inkling paused')}`, color: 'normal', click: RESUME_ACTION };
    case 'error':
      if (retriesAutomatically(state.error.code)) {
        return {
          text: `$(debug-disconnect) Inkling${inUse}`,
          color: 'warning',
          click: actionForError(state.error.code),
        };
      }
      return { text: `$(error) ${t('Inkling error')}`, color: 'error', click: actionForError(state.error.code) };
  }
}

function memoryInText(memory: MemorySummary | null): string {
  return memory === null ? '' : ` ${formatMemoryUse(memory.inUseBytes, memory.budgetBytes)}`;
}

function tooltipRows({ model, memory, lastCompletion, remote, chat }: InklingStatus): TooltipRow[] {
  const rows: TooltipRow[] = [];
  if (model !== null) rows.push(row(t('Model'), model.name));
  if (remote !== null)
    rows.push(row(t('Runs on'), remote.kind === null ? remote.host : `${remote.host} (${remote.kind})`));
  if (model !== null && model.parameterCount !== null) {
    const size = t('{0} parameters, {1}', formatParameterCount(model.parameterCount), model.quantization ?? '');
    rows.push(row(t('Size'), size));
  }
  if (chat !== null) rows.push(row(t('Chat model'), describeChat(chat)));
  if (memory !== null) rows.push(...memoryRows(memory, remote));
  if (lastCompletion !== null) rows.push(...completionRows(lastCompletion));
  return rows;
}

function describeChat({ state, model, path }: ChatEngineStatus): string {
  const name = model?.name ?? path.slice(path.search(/[^/\\]*$/));
  switch (state.kind) {
    case 'unloaded':
      return t('{0}, loads when you ask a question', name);
    case 'error':
      return state.error.message;
    case 'loading':
    case 'ready':
    case 'working':
    case 'paused':
      return name;
  }
}

function row(label: string, value: string, share: number | null = null): TooltipRow {
  return { label, value, share };
}

function memoryRows(memory: MemorySummary, remote: RemoteSummary | null): TooltipRow[] {
  const { inUseBytes, budgetBytes, deviceFreeBytes, deviceTotalBytes, windowCount, windowBytes } = memory;
  const rows =
    remote === null
      ? [row(t('Memory'), describeBudget(memory), inUseBytes / budgetBytes)]
      : [
          row(t('Memory on this machine'), formatFileSize(inUseBytes)),
          row(t('Model memory'), t('on {0}', remote.host)),
        ];
  // Without a local model there are no parts to list.
  if (remote !== null && memory.chatModel === null) return rows;
  for (const part of memoryParts(memory)) rows.push(row(part.label, describePart(part), part.bytes / inUseBytes));
  if (deviceTotalBytes > 0) {
    const free = t('{0} of {1} free', formatFileSize(deviceFreeBytes), formatFileSize(deviceTotalBytes));
    rows.push(row(t('Device'), free));
  }
  if (windowCount > 1)
    rows.push(row(t('All windows'), t('{0} in {1} servers', formatFileSize(windowBytes), windowCount)));
  return rows;
}

function completionRows(completion: CompletionSummary): TooltipRow[] {
  const { latencyMs, generatedTokens, replayedTokens, promptTokens, reusedTokens, decodeMs } = completion;
  const { draftedTokens, acceptedDraftTokens, draftFailure } = completion;
  const latency = formatMilliseconds(latencyMs);
  const rows = [
    row(
      t('Last suggestion'),
      generatedTokens === 1 ? t('{0}, one token', latency) : t('{0}, {1} tokens', latency, generatedTokens),
    ),
  ];
  if (promptTokens !== null && reusedTokens !== null) {
    rows.push(row(t('Prompt'), t('{0} of {1} tokens reused', reusedTokens, promptTokens)));
  }
  const computed = generatedTokens - (replayedTokens ?? 0);
  if (computed > 0 && decodeMs > 0) {
    rows.push(row(t('Speed'), t('{0} tokens/s', Math.round((computed / decodeMs) * 1000))));
  }
  if (draftedTokens !== null && draftedTokens > 0 && acceptedDraftTokens !== null) {
    rows.push(row(t('Drafts'), t('{0} of {1} accepted', acceptedDraftTokens, draftedTokens)));
  }
  if (draftFailure !== null) rows.push(row(t('Drafting stopped'), draftFailure));
  return rows;
}

function links(state: EngineState, remote: RemoteSummary | null): UserAction[] {
  switch (state.kind) {
    case 'loading':
    case 'ready':
    case 'working':
      if (remote !== null) {
        return [
          WHY_ACTION,
          OTHER_MACHINE_ACTION,
          PAUSE_ACTION,
          SNOOZE_ACTION,
          SHOW_MEMORY_ACTION,
          RESTART_ACTION,
          SHOW_LOG_ACTION,
        ];
      }
      return [
        WHY_ACTION,
        CHOOSE_MODEL_ACTION,
        PAUSE_ACTION,
        SNOOZE_ACTION,
        SHOW_MEMORY_ACTION,
        FREE_CACHES_ACTION,
        UNLOAD_ACTION,
        RESTART_ACTION,
        SHOW_LOG_ACTION,
      ];
    case 'unloaded':
      return [LOAD_ACTION, CHOOSE_MODEL_ACTION, SHOW_MEMORY_ACTION, RESTART_ACTION, SHOW_LOG_ACTION];
    case 'paused':
      return [RESUME_ACTION, SHOW_MEMORY_ACTION, UNLOAD_ACTION, RESTART_ACTION, SHOW_LOG_ACTION];
    case 'error': {
      const action = actionForError(state.error.code);
      const actions = remote === null || action === OTHER_MACHINE_ACTION ? [action] : [action, OTHER_MACHINE_ACTION];
      if (state.error.code === 'modelCrashed') actions.push(CHOOSE_MODEL_ACTION);
      if (state.error.code === 'crashedWithModel') actions.push(RESTART_ACTION);
      return action === SHOW_LOG_ACTION ? actions : [...actions, SHOW_LOG_ACTION];
    }
  }
}

/** Never 100 % before the model is ready. */
function percent(progress: number): string {
  return `${Math.min(99, Math.floor(progress * 100))}%`;
}
