import {
  type ChatCapabilities,
  type ChatSize,
  drawbackOf,
  type EngineState,
  type InklingStatus,
  t,
} from '../../../../server/protocol/index.js';
import { INTERNAL_COMMANDS } from '../../manifest/command-ids.js';
import { actionForError, RESTART_ACTION, USE_ONE_MODEL_ACTION, type UserAction } from '../../status/error-action.js';
import { chatModelName } from '../../status/status-facts.js';
import { describeState, sentence } from '../../status/status-view.js';
import { describeRefusal } from '../answer/describe-refusal.js';
import {
  type Attachment,
  type ChatState,
  currentConversation,
  nextAttachments,
  type Turn,
} from '../conversation/conversation.js';
import { NO_PROJECT_TEXTS, type ProjectTexts } from '../conversation/project-texts.js';
import { conversationTitle, questionInput, slashCommands } from '../conversation/question-text.js';
import type { AttachmentView, PanelNotice, PanelState, SizeView, TurnView } from '../webview/messages.js';

/** What the panel knows besides the status and the conversation. */
export interface PanelSurroundings {
  readonly project: ProjectTexts;
  /** The speed of the last download; null where none is known. */
  readonly bytesPerSecond: number | null;
}

const NO_SURROUNDINGS: PanelSurroundings = { project: NO_PROJECT_TEXTS, bytesPerSecond: null };

export interface Panel {
  readonly state: PanelState;
  /** The action of the notice's button; null without a button. */
  readonly action: UserAction | null;
  /** The action of its second button. */
  readonly otherAction: UserAction | null;
}

interface Notice {
  readonly text: string;
  /** Whether the notice prevents questions. */
  readonly blocks: boolean;
  readonly isError: boolean;
  readonly action: UserAction | null;
  readonly otherAction?: UserAction;
}

/**
 * @param capabilities null until known
 * @param bytesPerSecond how fast the last download was; null where nothing was downloaded yet
 */
export function panel(
  status: InklingStatus,
  capabilities: ChatCapabilities | null,
  chat: ChatState,
  running: boolean,
  { project, bytesPerSecond }: PanelSurroundings = NO_SURROUNDINGS,
): Panel {
  const notice = describeNotice(status, capabilities, bytesPerSecond);
  const can = capabilities?.kind === 'canChat' ? capabilities : null;
  const { turns } = currentConversation(chat);
  return {
    action: notice?.action ?? null,
    otherAction: notice?.otherAction ?? null,
    state: {
      notice: notice === null ? null : toNotice(notice),
      canAsk: can !== null && notice?.blocks !== true,
      modelName: can?.modelName ?? modelName(status),
      hint: project.rules === null ? hint(status) : `${hint(status)} ${t('It follows the rules in AGENTS.md.')}`,
      thinking: can?.thinking ?? 'none',
      think: chat.think,
      conversations: chat.conversations.map((each) => ({ id: each.id, title: conversationTitle(each) })),
      currentId: chat.currentId,
      turns: turns.map((turn) => turnView(turn, loads(status))),
      attachments: nextAttachments(chat).map(attachmentView),
      editing: chat.editing?.turnId ?? null,
      // An answer in another conversation is not to be seen here, and the next question ends it.
      running: running && turns.some(({ answer }) => answer.state === 'running'),
      commands: slashCommands(project.prompts),
    },
  };
}

function modelName({ model, remote, chat }: InklingStatus): string {
  if (chat !== null) return chatModelName(chat);
  if (model === null) return '';
  return remote === null ? model.name : t('{0} on {1}', model.name, remote.host);
}

/** Where questions go. A model for chat alone always runs on this machine. */
function hint({ remote, chat, model, memory }: InklingStatus): string {
  // No server has reported since it was started, so nothing is known of a remote one.
  if (model === null && memory === null && remote === null) {
    return t('Ask about your code, or type / to explain, fix, test or document it.');
  }
  if (remote === null) {
    return t(
      'Ask about your code, or type / to explain, fix, test or document it. The model runs on this machine. Nothing leaves it.',
    );
  }
  return chat === null
    ? t('Ask about your code. The model runs on {0}. Inkling sends your questions there.', remote.host)
    : t(
        'Ask about your code. The chat model runs on this machine, and your questions do not leave it. Suggestions come from {0}.',
        remote.host,
      );
}

/** @param waits whether the chat model is still loading */
export function turnView({ id, question, answer }: Turn, waits = false): TurnView {
  return {
    id,
    question: questionInput(question),
    attachments: question.attachments.map(attachmentView),
    state: answer.state,
    answer: answer.text,
    thinking: answer.thinking,
    error: answer.error,
    remark: remark(answer, waits),
  };
}

function attachmentView({ id, label, isAutomatic = false }: Attachment): AttachmentView {
  return { id, label, isAutomatic };
}

/** Whether the chat model is loading. */
function loads({ state, chat }: InklingStatus): boolean {
  return (chat?.state ?? state).kind === 'loading';
}

function remark(answer: Turn['answer'], waits: boolean): string | null {
  const { state, text, thinking, droppedTurns, forgottenTokens } = answer;
  const parts: string[] = [];
  if (waits && state === 'running' && text === '' && thinking === '') parts.push(t('Waiting for the model to load.'));
  // Without this text the panel would look as if nothing had been asked.
  if (state === 'complete' && text.trim() === '') parts.push(t('No answer.'));
  if (state === 'stopped') parts.push(t('Stopped.'));
  if (state === 'cutOff') parts.push(t('Cut off: the answer reached its length limit.'));
  if (droppedTurns > 0) {
    parts.push(
      droppedTurns === 1
        ? t('The model left out the oldest question.')
        : t('The model left out the {0} oldest questions.', droppedTurns),
    );
  }
  if (forgottenTokens > 0)
    parts.push(t('The context was full, so the model forgot the oldest part of this conversation.'));
  return parts.length === 0 ? null : parts.join(' ');
}

/**
 * All that the size of the next question depends on, and whether an answer runs, since nothing is measured then. Of the
 * automatic attachment it has the place, not the text: the text changes with each key of a user who works in it.
 */
export function measuredParts(
  { state, chat }: InklingStatus,
  capabilities: ChatCapabilities | null,
  { draft, automatic, editing, think, ...conversations }: ChatState,
  project: ProjectTexts,
  running: boolean,
): readonly unknown[] {
  const { kind } = chat?.state ?? state;
  const isLoaded = kind === 'ready' || kind === 'working';
  const { turns } = currentConversation(conversations);
  return [isLoaded, capabilities, draft, automatic?.id, editing?.turnId, think, turns, project, running];
}

/** The text below the input: how full the context is. */
export function sizeView(size: ChatSize | { readonly tooLong: string } | null): SizeView | null {
  if (size === null) return null;
  if ('tooLong' in size) return { text: size.tooLong, share: 2 };
  const { promptTokens, isEstimate, promptBudget, droppedTurns } = size;
  const tokens = t('{0} of {1} tokens', isEstimate ? t('about {0}', promptTokens) : promptTokens, promptBudget);
  const share = promptTokens / promptBudget;
  if (droppedTurns === 0) return { text: tokens, share };
  const text =
    droppedTurns === 1
      ? t('{0}, oldest question left out', tokens)
      : t('{0}, oldest {1} questions left out', tokens, droppedTurns);
  return { text, share };
}

function toNotice({ text, isError, action, otherAction }: Notice): PanelNotice {
  return { text, isError, actionLabel: action?.label ?? null, otherActionLabel: otherAction?.label ?? null };
}

/**
 * Identifies the chat model and the memory for another one, which capabilities may offer: they are requested again when it
 * changes. Null without a chat model, and while no model may be asked.
 */
export function chatModelKey(status: InklingStatus): string | null {
  const key = modelKey(status);
  return key === null ? null : `${key} within ${status.memory?.budgetBytes ?? 0}`;
}

function modelKey({ state, model, chat }: InklingStatus): string | null {
  if (state.kind === 'off') return null;
  // A model has capabilities from its header before its load.
  if (chat !== null) return `${chat.path}${chat.model === null ? '' : ' loaded'}`;
  return state.kind === 'loading' ? 'loading' : (model?.path ?? null);
}

/** What prevents or delays a question; null if nothing does. A running suggestion does not. */
function describeNotice(
  status: InklingStatus,
  capabilities: ChatCapabilities | null,
  bytesPerSecond: number | null,
): Notice | null {
  const { state, model, chat, remote } = status;
  if (state.kind === 'off') {
    return obstacle(t('Inkling is off.'), { label: t('Turn on'), command: INTERNAL_COMMANDS.turnOn });
  }
  if (chat === null && model === null) {
    if (state.kind === 'error') {
      return { ...obstacle(sentence(describeState(state, remote)), actionForError(state.error.code)), isError: true };
    }
    // A question waits for a model that is known to chat. A model's file shows whether it can.
    const waits = obstacle(describeState(state, remote), null);
    if (capabilities?.kind === 'canChat') return { ...waits, blocks: state.kind !== 'loading' };
    if (capabilities === null || capabilities.refusal.reason === 'notReady') return waits;
  }
  // What was asked while Inkling was off says nothing of the model.
  if (capabilities === null || isOff(capabilities)) return obstacle(t('Checking whether the model can chat'), null);
  if (capabilities.kind === 'canChat') return chat && describeOwnModel(chat.state);
  const { text, actions } = describeRefusal(capabilities, bytesPerSecond);
  const [action = chat === null ? RESTART_ACTION : USE_ONE_MODEL_ACTION, otherAction] = actions;
  return { ...obstacle(text, action), ...(otherAction === undefined ? {} : { otherAction }) };
}

function isOff(capabilities: ChatCapabilities): boolean {
  return capabilities.kind === 'cannotChat' && capabilities.refusal.reason === 'off';
}

/** The notice for a model for chat alone; the next question retries a failed load. */
function describeOwnModel(state: EngineState): Notice | null {
  switch (state.kind) {
    case 'loading':
      return { text: describeState(state, null), blocks: false, isError: false, action: null };
    case 'error': {
      const { code, message } = state.error;
      const isServed = drawbackOf(state) !== null;
      const action = isServed ? actionForError(code) : USE_ONE_MODEL_ACTION;
      return { text: sentence(message), blocks: false, isError: !isServed, action };
    }
    case 'ready':
    case 'working':
    case 'unloaded':
    case 'off':
      return null;
  }
}

function obstacle(text: string, action: UserAction | null): Notice {
  return { text, blocks: true, isError: false, action };
}
