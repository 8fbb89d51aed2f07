import type { EngineState, InklingStatus } from '../../../server/protocol/index.js';
import { INKLING_COMMANDS } from '../command-ids.js';
import { actionForError, CHOOSE_MODEL_ACTION, type UserAction } from '../error-action.js';
import { formatGigabytes, formatParameterCount } from '../format-quantity.js';
import { describeState } from '../status-view.js';
import type { PanelFact, PanelState } from './webview/messages.js';

export interface Panel {
  readonly state: PanelState;
  /** What the button runs; null where the panel has none. */
  readonly action: UserAction | null;
}

export function panel(status: InklingStatus): Panel {
  const action = panelAction(status);
  return {
    action,
    state: {
      headline: headline(status.state),
      isError: status.state.kind === 'error',
      facts: facts(status),
      chatNote: chatNote(status),
      actionLabel: action?.label ?? null,
    },
  };
}

/** A suggestion comes and goes at every key: to a reader of the panel, and a listener to it, that is `Ready`. */
function headline(state: EngineState): string {
  return describeState(state.kind === 'working' ? { kind: 'ready' } : state);
}

function facts({ model, memory }: InklingStatus): PanelFact[] {
  const rows: PanelFact[] = [];
  if (model !== null) {
    rows.push(
      { label: 'Name', value: model.name },
      { label: 'Architecture', value: model.architecture },
      { label: 'Parameters', value: `${formatParameterCount(model.parameterCount)}, ${model.quantization}` },
      { label: 'Context', value: `${model.contextLength} tokens` },
      { label: 'File', value: model.path },
    );
  }
  if (memory !== null) rows.push({ label: 'Memory in use', value: formatGigabytes(memory.processRssBytes) });
  return rows;
}

function chatNote({ model }: InklingStatus): string {
  if (model === null) return 'No model is loaded.';
  return model.chat
    ? `${model.name} has a chat template. Conversations arrive with a later version of Inkling.`
    : `${model.name} completes code and cannot chat: it has no chat template.`;
}

function panelAction({ state, model }: InklingStatus): UserAction | null {
  switch (state.kind) {
    case 'error':
      return actionForError(state.error.code);
    case 'paused':
      return { label: 'Resume', command: INKLING_COMMANDS.toggle };
    case 'unloaded':
      return { label: 'Load the model', command: INKLING_COMMANDS.load };
    case 'loading':
      return null;
    case 'ready':
    case 'working':
      return model?.chat === false ? CHOOSE_MODEL_ACTION : null;
  }
}
