import type { EngineState, InklingStatus } from '../../server/protocol/index.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from './command-ids.js';
import {
  actionForError,
  CHOOSE_MODEL_ACTION,
  RESTART_ACTION,
  SHOW_LOG_ACTION,
  type UserAction,
} from './error-action.js';
import { formatGigabytes, formatMilliseconds, formatParameterCount } from './format-quantity.js';

/** What the status bar shows, as data: status-bar.ts turns it into VS Code's objects. */
export interface StatusView {
  /** May begin with a codicon, `$(name)`. */
  readonly text: string;
  /** What a screen reader says instead of the text. */
  readonly accessibleText: string;
  readonly color: 'normal' | 'error';
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
}

const SHOW_PANEL_ACTION: UserAction = { label: 'Open the Inkling panel', command: EDITOR_COMMANDS.showPanel };
const PAUSE_ACTION: UserAction = { label: 'Pause', command: INKLING_COMMANDS.toggle };
const SNOOZE_ACTION: UserAction = { label: 'Snooze', command: INKLING_COMMANDS.snooze };
const WAKE_ACTION: UserAction = { label: 'Wake', command: INKLING_COMMANDS.snooze };
const WHY_ACTION: UserAction = { label: 'Why no suggestion?', command: INKLING_COMMANDS.whyNoSuggestion };
const RESUME_ACTION: UserAction = { label: 'Resume', command: INKLING_COMMANDS.toggle };

/** @param snoozedUntil milliseconds since the epoch, while suggestions are snoozed */
export function statusView(status: InklingStatus, snoozedUntil: number | null = null): StatusView {
  const { kind } = status.state;
  const snoozed = snoozedUntil !== null && (kind === 'ready' || kind === 'working');
  const headline = snoozed ? `Snoozed until ${clock(snoozedUntil)}` : describeState(status.state);
  return {
    ...(snoozed ? SNOOZED : appearance(status)),
    accessibleText: `Inkling: ${headline}`,
    headline,
    rows: tooltipRows(status),
    links: snoozed ? [WAKE_ACTION, RESTART_ACTION, SHOW_LOG_ACTION] : links(status.state),
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
    case 'paused':
      return 'Paused';
    case 'error':
      return state.error.message;
  }
}

/** The icon keeps its width while the state changes between ready and working, so that nothing beside it moves. */
function appearance(status: InklingStatus): Pick<StatusView, 'text' | 'color' | 'click'> {
  const { state, memory } = status;
  const inUse = memory === null ? '' : ` ${formatGigabytes(memory.processRssBytes)}`;
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
    case 'paused':
      return { text: '$(debug-pause) Inkling paused', color: 'normal', click: RESUME_ACTION };
    case 'error':
      return { text: '$(error) Inkling error', color: 'error', click: actionForError(state.error.code) };
  }
}

function tooltipRows({ model, memory, lastCompletion }: InklingStatus): TooltipRow[] {
  const rows: TooltipRow[] = [];
  if (model !== null) {
    rows.push({ label: 'Model', value: model.name });
    rows.push({
      label: 'Size',
      value: `${formatParameterCount(model.parameterCount)} parameters, ${model.quantization}`,
    });
  }
  if (memory !== null) {
    const { processRssBytes, weightsBytes, contextBytes, computeBytes } = memory;
    const parts = `weights ${formatGigabytes(weightsBytes)}, context ${formatGigabytes(contextBytes)}, compute ${formatGigabytes(computeBytes)}`;
    rows.push({ label: 'Memory', value: `${formatGigabytes(processRssBytes)} (${parts})` });
  }
  if (lastCompletion !== null) {
    const { latencyMs, generatedTokens, promptTokens, reusedTokens } = lastCompletion;
    const tokens = `${generatedTokens} tokens generated, ${reusedTokens} of ${promptTokens} prompt tokens reused`;
    rows.push({ label: 'Last suggestion', value: `${formatMilliseconds(latencyMs)} (${tokens})` });
  }
  return rows;
}

function links(state: EngineState): UserAction[] {
  switch (state.kind) {
    case 'loading':
    case 'ready':
    case 'working':
      return [WHY_ACTION, CHOOSE_MODEL_ACTION, PAUSE_ACTION, SNOOZE_ACTION, RESTART_ACTION, SHOW_LOG_ACTION];
    case 'paused':
      return [RESUME_ACTION, RESTART_ACTION, SHOW_LOG_ACTION];
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
