import { type InklingStatus, t, withoutDrawback } from '../../../server/protocol/index.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from '../manifest/command-ids.js';
import { plainText } from '../texts/plain-text.js';
import { REMOTE_SERVER_ACTION, type UserAction } from './error-action.js';
import { describeBudget, describeOwnMemoryShortly } from './memory-parts.js';
import { describeChat, describeModel, describeSuggestion } from './status-facts.js';
import {
  SHOW_MEMORY_ACTION,
  SNOOZE_ACTION,
  type StatusView,
  TURN_OFF_ACTION,
  UNLOAD_ACTION,
  WHY_ACTION,
} from './status-view.js';

/** The menu of the status bar item, as data: status-menu.ts shows it. */
export type MenuRow =
  | { readonly kind: 'separator' }
  | {
      readonly kind: 'action';
      /** Begins with a codicon, `$(name)`. */
      readonly label: string;
      /** Behind the label; plain. */
      readonly description: string;
      /** Below the label; empty for none. */
      readonly detail: string;
      readonly command: string;
    };

/** Where the model, the memory, the last suggestion and the chat are; then the three ways to have less of Inkling. */
export function menuRows(status: InklingStatus, { remedies }: Pick<StatusView, 'remedies'>): readonly MenuRow[] {
  const first = remedies.map((remedy) => row('lightbulb', remedy, ''));
  const less = lessRows(withoutDrawback(status), remedies);
  return [
    ...first,
    ...(first.length === 0 ? [] : [SEPARATOR]),
    row('chip', { label: t('Model'), command: INKLING_COMMANDS.pickModel }, describeModel(status) ?? ''),
    // After an error it is among what helps.
    ...(status.remote === null || remedies.includes(REMOTE_SERVER_ACTION)
      ? []
      : [row('remote', REMOTE_SERVER_ACTION, status.remote.host)]),
    row('pulse', SHOW_MEMORY_ACTION, memoryInWords(status)),
    row('question', WHY_ACTION, suggestionInWords(status)),
    row('comment', { label: t('Chat'), command: EDITOR_COMMANDS.showPanel }, describeChat(status) ?? ''),
    ...(less.length === 0 ? [] : [SEPARATOR, ...less]),
  ];
}

const SEPARATOR: MenuRow = { kind: 'separator' };

function row(icon: string, { label, command }: UserAction, description: string, detail = ''): MenuRow {
  return { kind: 'action', label: `$(${icon}) ${label}`, description: plainText(description), detail, command };
}

function memoryInWords({ memory, remote }: InklingStatus): string {
  if (memory === null) return '';
  return remote === null ? describeBudget(memory) : describeOwnMemoryShortly(memory);
}

function suggestionInWords({ lastCompletion }: InklingStatus): string {
  return lastCompletion === null ? '' : t('Last suggestion: {0}', describeSuggestion(lastCompletion));
}

/** Off, snooze and unload, without those that the state or a remedy makes meaningless. */
function lessRows({ state, model, remote }: InklingStatus, remedies: readonly UserAction[]): readonly MenuRow[] {
  const taken = new Set(remedies.map(({ command }) => command));
  const rows: MenuRow[] = [];
  if (state.kind !== 'off') {
    rows.push(row('circle-slash', TURN_OFF_ACTION, '', t('No suggestions and no chat until you turn Inkling on')));
    if (!taken.has(SNOOZE_ACTION.command)) {
      rows.push(row('bell-slash', SNOOZE_ACTION, '', t('No automatic suggestions for some minutes')));
    }
  }
  // A remote server's memory is its own, and an unloaded model has none.
  if (model !== null && remote === null && state.kind !== 'unloaded' && state.kind !== 'error') {
    rows.push(row('circle-outline', UNLOAD_ACTION, '', t('Frees the memory of the model until you ask for it')));
  }
  return rows;
}
