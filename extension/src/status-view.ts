import type {
  CompletionSummary,
  EngineState,
  InklingStatus,
  MemorySummary,
  UnloadReason,
} from '../../server/protocol/index.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from './command-ids.js';
import {
  actionForError,
  CHOOSE_MODEL_ACTION,
  RESTART_ACTION,
  SHOW_LOG_ACTION,
  type UserAction,
} from './error-action.js';
import { formatFileSize, formatMemoryUse, formatMilliseconds, formatParameterCount } from './format-quantity.js';
import { memoryParts, memoryWarning } from './memory/memory-parts.js';

/** What the status bar shows, as data: status-bar.ts turns it into VS Code's objects. */
export interface StatusView {
  /** May begin with a codicon, `$(name)`. */
  readonly text: string;
  /** What a screen reader says instead of the text. */
  readonly accessibleText: string;
  readonly color: 'normal' | 'warning' | 'error';
  /** First line of the tooltip. */
  readonly headline: string;
  /** Rows below it. Values may hold text from a model file: never Markdown. */
  readonly rows: readonly TooltipRow[];
  /** Links at the end of the tooltip. */
  readonly links: readonly UserAction[];
  readonly click: UserAction;
}

export interface TooltipRow {
  readonly label: string;
  readonly value: string;
  /** Of the memory in use, from 0 to 1, to be drawn as a bar; null for a row without one. */
  readonly share: number | null;
}

const SHOW_PANEL_ACTION: UserAction = { label: 'Open the Inkling panel', command: EDITOR_COMMANDS.showPanel };
const PAUSE_ACTION: UserAction = { label: 'Pause', command: INKLING_COMMANDS.toggle };
const SNOOZE_ACTION: UserAction = { label: 'Snooze', command: INKLING_COMMANDS.snooze };
const WAKE_ACTION: UserAction = { label: 'Wake', command: INKLING_COMMANDS.snooze };
const WHY_ACTION: UserAction = { label: 'Why no suggestion?', command: INKLING_COMMANDS.whyNoSuggestion };
const SHOW_MEMORY_ACTION: UserAction = { label: 'Memory', command: INKLING_COMMANDS.showMemory };
const FREE_CACHES_ACTION: UserAction = { label: 'Free caches', command: INKLING_COMMANDS.freeCaches };
const UNLOAD_ACTION: UserAction = { label: 'Unload', command: INKLING_COMMANDS.unload };
const LOAD_ACTION: UserAction = { label: 'Load the model', command: INKLING_COMMANDS.load };
const RESUME_ACTION: UserAction = { label: 'Resume', command: INKLING_COMMANDS.toggle };

/** @param snoozedUntil milliseconds since the epoch, while suggestions are snoozed */
export function statusView(status: InklingStatus, snoozedUntil: number | null = null): StatusView {
  const { state, memory } = status;
  const snoozed = snoozedUntil !== null && (state.kind === 'ready' || state.kind === 'working');
  const stateInWords = snoozed ? `Snoozed until ${clock(snoozedUntil)}` : describeState(state);
  const warning = memory === null ? null : memoryWarning(memory);
  const headline = warning === null ? stateInWords : `${stateInWords}. ${warning}`;
  const shown = snoozed ? SNOOZED : appearance(status);
  return {
    ...shown,
    color: shown.color === 'normal' && warning !== null ? 'warning' : shown.color,
    accessibleText: `Inkling: ${headline}`,
    headline,
    rows: tooltipRows(status),
    links: snoozed ? [WAKE_ACTION, RESTART_ACTION, SHOW_LOG_ACTION] : links(state),
  };
}

const SNOOZED = { text: '$(bell-slash) Inkling', color: 'normal', click: WAKE_ACTION } as const;

function clock(time: number): string {
  return new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

/** One sentence for the user, without details. */
export function describeState(state: EngineState): string {
  switch (state.kind) {
    case 'loading':
      return `Loading the model, ${percent(state.progress)}`;
    case 'ready':
      return 'Ready';
    case 'working':
      return 'Working on a suggestion';
    case 'unloaded':
      return UNLOADED[state.reason];
    case 'paused':
      return 'Paused';
    case 'error':
      return state.error.message;
  }
}

const UNLOADED: Readonly<Record<UnloadReason, string>> = {
  idle: 'Unloaded while not in use; the next key loads the model again',
  battery: 'Unloaded on battery; the next key loads the model again',
  user: 'Unloaded',
  memoryPressure: 'Unloaded, as the machine is short of memory',
};

/** The icon keeps its width while the state changes between ready and working, so that nothing beside it moves. */
function appearance(status: InklingStatus): Pick<StatusView, 'text' | 'color' | 'click'> {
  const { state, memory } = status;
  const inUse = memory === null ? '' : ` ${formatMemoryUse(memory.inUseBytes, memory.budgetBytes)}`;
  switch (state.kind) {
    case 'loading':
      return {
        text: `$(loading~spin) Inkling ${percent(state.progress)}`,
        color: 'normal',
        click: SHOW_PANEL_ACTION,
      };
    case 'ready':
      return { text: `$(pencil) Inkling${inUse}`, color: 'normal', click: SHOW_PANEL_ACTION };
    case 'working':
      return { text: `$(loading~spin) Inkling${inUse}`, color: 'normal', click: SHOW_PANEL_ACTION };
    case 'unloaded':
      return { text: '$(circle-outline) Inkling unloaded', color: 'normal', click: LOAD_ACTION };
    case 'paused':
      return { text: '$(debug-pause) Inkling paused', color: 'normal', click: RESUME_ACTION };
    case 'error':
      return { text: '$(error) Inkling error', color: 'error', click: actionForError(state.error.code) };
  }
}

function tooltipRows({ model, memory, lastCompletion }: InklingStatus): TooltipRow[] {
  const rows: TooltipRow[] = [];
  if (model !== null) {
    rows.push(row('Model', model.name));
    rows.push(row('Size', `${formatParameterCount(model.parameterCount)} parameters, ${model.quantization}`));
  }
  if (memory !== null) rows.push(...memoryRows(memory));
  if (lastCompletion !== null) rows.push(...completionRows(lastCompletion));
  return rows;
}

function row(label: string, value: string, share: number | null = null): TooltipRow {
  return { label, value, share };
}

function memoryRows(memory: MemorySummary): TooltipRow[] {
  const { inUseBytes, budgetBytes, deviceFreeBytes, deviceTotalBytes, windowCount, windowBytes } = memory;
  const rows = [row('Memory', `${formatMemoryUse(inUseBytes, budgetBytes)} budget`, inUseBytes / budgetBytes)];
  for (const { label, bytes } of memoryParts(memory)) rows.push(row(label, formatFileSize(bytes), bytes / inUseBytes));
  if (deviceTotalBytes > 0) {
    rows.push(row('Device', `${formatFileSize(deviceFreeBytes)} of ${formatFileSize(deviceTotalBytes)} free`));
  }
  if (windowCount > 1) rows.push(row('All windows', `${formatFileSize(windowBytes)} in ${windowCount} servers`));
  return rows;
}

function completionRows(completion: CompletionSummary): TooltipRow[] {
  const { latencyMs, generatedTokens, replayedTokens, promptTokens, reusedTokens, decodeMs } = completion;
  const { draftedTokens, acceptedDraftTokens } = completion;
  const tokens = `${generatedTokens} tokens generated, ${reusedTokens} of ${promptTokens} prompt tokens reused`;
  const rows = [row('Last suggestion', `${formatMilliseconds(latencyMs)} (${tokens})`)];
  const computed = generatedTokens - replayedTokens;
  if (computed > 0 && decodeMs > 0) rows.push(row('Speed', `${Math.round((computed / decodeMs) * 1000)} tokens/s`));
  if (draftedTokens > 0) rows.push(row('Drafts', `${acceptedDraftTokens} of ${draftedTokens} accepted`));
  return rows;
}

function links(state: EngineState): UserAction[] {
  switch (state.kind) {
    case 'loading':
    case 'ready':
    case 'working':
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
      return action === SHOW_LOG_ACTION ? [action] : [action, SHOW_LOG_ACTION];
    }
  }
}

/** Never 100 % before the model is ready. */
function percent(progress: number): string {
  return `${Math.min(99, Math.floor(progress * 100))}%`;
}
