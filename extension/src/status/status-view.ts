import {
  currentTranslations,
  describeUnknownLanguage,
  drawbackOf,
  type EngineErrorCode,
  type EngineState,
  formatFileSize,
  formatPercent,
  type InklingStatus,
  isText,
  languageName,
  type MemorySummary,
  type RemoteSummary,
  refuseLanguage,
  t,
  type UnloadReason,
  withoutDrawback,
} from '../../../server/protocol/index.js';
import type { EditedLanguage } from '../editor/active-language.js';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from '../manifest/command-ids.js';
import { formatMemoryUse } from '../texts/format-quantity.js';
import { plainText } from '../texts/plain-text.js';
import {
  actionForError,
  CHOOSE_MODEL_ACTION,
  REMOTE_SERVER_ACTION,
  RESTART_ACTION,
  SHOW_LOG_ACTION,
  type UserAction,
  userAction,
} from './error-action.js';
import { describeBudget, describeOwnMemoryShortly, memoryWarning } from './memory-parts.js';
import { describeModel, describeSuggestion } from './status-facts.js';

/** What the status bar shows, as data: status-bar.ts turns it into VS Code's objects. */
export interface StatusView {
  /** Begins with a codicon, `$(name)`. */
  readonly text: string;
  /** What a screen reader reads instead of the text. */
  readonly accessibleText: string;
  readonly color: 'normal' | 'warning' | 'error';
  /** First line of the tooltip. */
  readonly headline: string;
  /** Why no suggestions come by themselves, as a sentence or two; null where they do. */
  readonly obstacle: string | null;
  /** The model, the memory and the last suggestion, as far as they are known. */
  readonly rows: readonly TooltipRow[];
  /** Links at the end of the tooltip: at most four. */
  readonly links: readonly UserAction[];
  /** What the menu offers first, where suggestions do not come by themselves; the most helpful first. */
  readonly remedies: readonly UserAction[];
}

export interface TooltipRow {
  readonly label: string;
  /** May contain text from a model file: never Markdown. */
  readonly value: string;
  /** Share of the memory budget in use, from 0 to 1, drawn as a bar; null for no bar. */
  readonly share: number | null;
}

/** What the status bar knows beside the server's status. */
export interface StatusSurroundings {
  /** Milliseconds since the epoch, while suggestions are snoozed; null while they are not. */
  readonly snoozedUntil: number | null;
  /** Whether suggestions come by themselves: otherwise no key loads an unloaded model. */
  readonly isAutomatic: boolean;
  /** The language of the active editor; null where it does not matter. */
  readonly edited: EditedLanguage | null;
  /** Whether the text has the memory in use and the budget. */
  readonly showsMemory: boolean;
}

const CALM_SURROUNDINGS: StatusSurroundings = {
  snoozedUntil: null,
  isAutomatic: true,
  edited: null,
  showsMemory: false,
};

/** Inkling's drop: `contributes.icons` of package.json. */
const DROP_ICON = '$(inkling-drop)';

const MOST_LINKS = 4;

export const TURN_OFF_ACTION = userAction(() => t('Turn off'), INKLING_COMMANDS.toggle);
export const SNOOZE_ACTION = userAction(() => t('Snooze'), INKLING_COMMANDS.snooze);
export const UNLOAD_ACTION = userAction(() => t('Unload'), INKLING_COMMANDS.unload);
export const WHY_ACTION = userAction(() => t('Why no suggestion?'), INKLING_COMMANDS.whyNoSuggestion);
export const SHOW_MEMORY_ACTION = userAction(() => t('Memory'), INKLING_COMMANDS.showMemory);
const TURN_ON_ACTION = userAction(() => t('Turn on'), INKLING_COMMANDS.toggle);
const TURN_ON_LANGUAGE_ACTION = userAction(() => t('Turn on for this language'), INTERNAL_COMMANDS.turnOnLanguage);
const WAKE_ACTION = userAction(() => t('End snooze'), INKLING_COMMANDS.snooze);
const LOAD_ACTION = userAction(() => t('Load the model'), INKLING_COMMANDS.load);

export function statusView(told: InklingStatus, surroundings: StatusSurroundings = CALM_SURROUNDINGS): StatusView {
  const drawback = drawbackOf(told.state);
  const serving = withChatAnswer(withoutDrawback(told));
  const status = surroundings.isAutomatic ? serving : withoutReturn(serving);
  const { state, memory, remote } = status;
  const silence = describeSilence(status, surroundings);
  const stateInWords = silence?.reason ?? describeState(state, remote);
  const warnings = [drawback?.message ?? null, memory === null ? null : memoryWarning(memory)].filter(isText);
  const headline = warnings.reduce((said, each) => t('{0}. {1}', said.replace(/\.$/, ''), each), stateInWords);
  const shown = silence?.appearance ?? appearance(status);
  const helpful = drawback === null ? shown.remedies : [...shown.remedies, ...remediesFor(drawback.code, remote)];
  const remedies = withEndOfSnooze(helpful, state, surroundings);
  const numbers = surroundings.showsMemory && remote === null ? memoryInText(memory) : '';
  return {
    text: `${shown.icon} ${shown.state()}${numbers}`,
    color: shown.color === 'normal' && warnings.length > 0 ? 'warning' : shown.color,
    accessibleText: t('Inkling: {0}', headline),
    headline,
    obstacle: silence === null ? describeObstacle(state, remote) : sentence(silence.reason),
    rows: tooltipRows(status),
    links: links(remedies, remote),
    remedies,
  };
}

/** With the answer that a model for chat alone is writing, if the other model rests. */
function withChatAnswer(status: InklingStatus): InklingStatus {
  const chats = status.chat?.state;
  const answers = status.state.kind === 'ready' && chats?.kind === 'working' && chats.work === 'answer';
  return answers ? { ...status, state: chats } : status;
}

/** The status without work that nobody waits for: a spinner after every pause would mean nothing. */
export function withoutBackground(status: InklingStatus): InklingStatus {
  const { state } = status;
  const isHidden = state.kind === 'working' && state.work === 'background';
  return isHidden ? { ...status, state: { kind: 'ready' } } : status;
}

/** The same where no key loads the model: it stays away as one that the user has unloaded. */
function withoutReturn(status: InklingStatus): InklingStatus {
  const { state } = status;
  const comesBack = state.kind === 'unloaded' && (state.reason === 'idle' || state.reason === 'battery');
  return comesBack ? { ...status, state: { kind: 'unloaded', reason: 'user' } } : status;
}

/** The command begins a snooze, or ends the one that there is. */
function withEndOfSnooze(
  remedies: readonly UserAction[],
  { kind }: EngineState,
  { snoozedUntil }: StatusSurroundings,
): readonly UserAction[] {
  const isOffered = snoozedUntil === null || kind === 'off' || remedies.includes(WAKE_ACTION);
  return isOffered ? remedies : [...remedies, WAKE_ACTION];
}

/** Why there are no suggestions, where the state alone does not say it, and how that looks. */
interface Silence {
  readonly reason: string;
  readonly appearance: Appearance;
}

/** Null where suggestions come by themselves, and where the state says already why none do. */
function describeSilence({ state, model }: InklingStatus, surroundings: StatusSurroundings): Silence | null {
  const { snoozedUntil, edited } = surroundings;
  const isReady = state.kind === 'ready';
  const isUnloaded = state.kind === 'unloaded';
  // No key loads the model then.
  const silence = (reason: string, label: () => string, ...remedies: readonly UserAction[]): Silence => ({
    reason: isUnloaded ? t('{0}. {1}', reason, t('Unloaded')) : reason,
    appearance: normal(label, ...remedies, ...(isUnloaded ? [LOAD_ACTION] : [])),
  });
  if (snoozedUntil !== null && (isReady || isUnloaded || state.kind === 'working')) {
    return silence(t('Snoozed until {0}', clock(snoozedUntil)), () => t('Snoozed'), WAKE_ACTION);
  }
  if (!(isReady || isUnloaded) || model === null || edited === null) return null;
  switch (refuseLanguage(edited, model.languages, edited.languageId)) {
    case null:
      return null;
    case 'languageDisabled': {
      const language = plainText(languageName(edited.languageId));
      const reason = t('Suggestions are turned off for {0}', language);
      return silence(reason, () => t('Off for {0}', language), TURN_ON_LANGUAGE_ACTION);
    }
    case 'languageUnknown': {
      const reason = describeUnknownLanguage(model, edited.languageId);
      return silence(reason, () => t('Unknown language'), CHOOSE_MODEL_ACTION);
    }
  }
}

function describeObstacle(state: EngineState, remote: RemoteSummary | null): string | null {
  switch (state.kind) {
    case 'ready':
    case 'working':
      return null;
    case 'off':
      return t('Inkling is off.');
    case 'unloaded':
      return howToLoad(state.reason) ?? sentence(describeUnloaded(state.reason));
    case 'loading':
    case 'error':
      return sentence(describeState(state, remote));
  }
}

/** Null where the next key loads the model. */
function howToLoad(reason: UnloadReason): string | null {
  switch (reason) {
    case 'user':
      return t('The model is unloaded. Run "Inkling: Load Model" or "Trigger Inline Suggestion" to load it.');
    case 'memoryPressure':
      return t(
        'The model was unloaded to free memory. Run "Inkling: Load Model" or "Trigger Inline Suggestion" to load it.',
      );
    case 'idle':
    case 'battery':
      return null;
  }
}

/** A message of an error ends without a full stop, since others continue it. */
export function sentence(words: string): string {
  return words.endsWith('.') ? words : `${words}.`;
}

function clock(time: number): string {
  return new Date(time).toLocaleTimeString(currentTranslations().language, { hour: '2-digit', minute: '2-digit' });
}

/** One sentence for the user, without details. */
export function describeState(state: EngineState, remote: RemoteSummary | null): string {
  switch (state.kind) {
    case 'loading':
      if (remote !== null) return t('Connecting to {0}', remote.host);
      return state.progress < 1
        ? t('Loading the model, {0}', percent(state.progress))
        : t('Preparing the model. A GPU takes up to a minute the first time');
    case 'ready':
      return remote === null ? t('Ready') : t('Ready on {0}', remote.host);
    case 'working':
      return state.work === 'answer' ? t('Writing an answer') : t('Generating a suggestion');
    case 'unloaded':
      return describeUnloaded(state.reason);
    case 'off':
      return t('Off');
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

interface Appearance {
  readonly icon: string;
  /** One or two words. */
  readonly state: () => string;
  readonly color: StatusView['color'];
  readonly remedies: readonly UserAction[];
}

function normal(state: () => string, ...remedies: readonly UserAction[]): Appearance {
  return { icon: DROP_ICON, state, color: 'normal', remedies };
}

function appearance({ state, remote }: InklingStatus): Appearance {
  const ready = () => (remote === null ? t('Ready') : t('Ready on {0}', remote.host));
  switch (state.kind) {
    case 'loading':
      return normal(() => loadingWords(state.progress, remote));
    case 'ready':
      return normal(ready);
    case 'working':
      // As wide as ready, so that nothing beside it moves at every suggestion.
      return { ...normal(ready), icon: '$(loading~spin)' };
    case 'unloaded':
      return normal(() => t('Unloaded'), LOAD_ACTION);
    case 'off':
      return normal(() => t('Off'), TURN_ON_ACTION);
    case 'error': {
      const remedies = remediesFor(state.error.code, remote);
      return retriesAutomatically(state.error.code)
        ? { icon: DROP_ICON, state: () => t('Not connected'), color: 'warning', remedies }
        : { icon: DROP_ICON, state: () => t('Error'), color: 'error', remedies };
    }
  }
}

function loadingWords(progress: number, remote: RemoteSummary | null): string {
  if (remote !== null) return t('Connecting to {0}', remote.host);
  return progress < 1 ? t('Loading {0}', percent(progress)) : t('Preparing');
}

function remediesFor(code: EngineErrorCode, remote: RemoteSummary | null): readonly UserAction[] {
  const action = actionForError(code);
  const remedies = remote === null || action === REMOTE_SERVER_ACTION ? [action] : [action, REMOTE_SERVER_ACTION];
  if (code === 'modelCrashed') remedies.push(CHOOSE_MODEL_ACTION);
  if (code === 'crashedWithModel') remedies.push(RESTART_ACTION);
  return action === SHOW_LOG_ACTION ? remedies : [...remedies, SHOW_LOG_ACTION];
}

function memoryInText(memory: MemorySummary | null): string {
  return memory === null ? '' : ` ${formatMemoryUse(memory.inUseBytes, memory.budgetBytes)}`;
}

function tooltipRows(status: InklingStatus): readonly TooltipRow[] {
  const { memory, lastCompletion, remote } = status;
  const rows: TooltipRow[] = [];
  const model = describeModel(status);
  if (model !== null) rows.push({ label: t('Model'), value: model, share: null });
  if (memory !== null) {
    const { inUseBytes, budgetBytes } = memory;
    rows.push(
      remote === null
        ? { label: t('Memory'), value: describeBudget(memory), share: inUseBytes / budgetBytes }
        : { label: t('Memory'), value: describeOwnMemoryShortly(memory), share: null },
    );
    for (const { name, heldBytes } of memory.gpus) {
      rows.push({ label: t('GPU'), value: t('{0} on {1}', formatFileSize(heldBytes), name), share: null });
    }
  }
  if (lastCompletion !== null) {
    rows.push({ label: t('Last suggestion'), value: describeSuggestion(lastCompletion), share: null });
  }
  return rows;
}

/** What helps comes first, then what people look for most; the menu has everything. */
function links(remedies: readonly UserAction[], remote: RemoteSummary | null): readonly UserAction[] {
  const modelAction = remote === null ? CHOOSE_MODEL_ACTION : REMOTE_SERVER_ACTION;
  const byCommand = new Map<string, UserAction>();
  for (const action of [...remedies, WHY_ACTION, SHOW_MEMORY_ACTION, modelAction, SNOOZE_ACTION]) {
    if (!byCommand.has(action.command)) byCommand.set(action.command, action);
  }
  return [...byCommand.values()].slice(0, MOST_LINKS);
}

/** Never 100 % before the model is ready. */
function percent(progress: number): string {
  return formatPercent(Math.min(99, Math.floor(progress * 100)));
}
