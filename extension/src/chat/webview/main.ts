import { parseTranslations, setTranslations, t } from '../../../../server/protocol/index.js';
import { Composer } from './composer.js';
import { element, make, setText } from './elements.js';
import { icon } from './icons.js';
import type { MessageFromWebview, MessageToWebview, PanelState } from './messages.js';
import { Transcript } from './transcript.js';

interface WebviewHost {
  postMessage(message: MessageFromWebview): void;
  /** State that survives when the page is hidden and created again. */
  getState(): { readonly draft: string } | undefined;
  setState(state: { readonly draft: string }): void;
}
declare function acquireVsCodeApi(): WebviewHost;

setTranslations(parseTranslations(JSON.parse(document.body.dataset.translations ?? 'null')));

const host = acquireVsCodeApi();
const post = (message: MessageFromWebview) => host.postMessage(message);
const transcript = new Transcript((message) => {
  post(message);
  if (message.kind === 'retry') composer.expectAnswer();
});
const draft = host.getState()?.draft ?? '';
const composer = new Composer(post, draft, (text) => host.setState({ draft: text }));
const conversations = element<HTMLSelectElement>('conversations');
const notice = element('notice');

conversations.addEventListener('change', () => post({ kind: 'select', id: conversations.value }));
for (const kind of ['delete', 'action', 'otherAction', 'chooseModel'] as const) {
  element(kind).addEventListener('click', () => post({ kind }));
}
element('delete').append(icon('delete'));
element('attach').append(icon('attach'));
element('chooseModel').append(icon('choose'));
// Only the extension can post to this frame.
window.addEventListener('message', (event: MessageEvent<MessageToWebview>) => receive(event.data));
post({ kind: 'ready', draft });

function receive(message: MessageToWebview): void {
  transcript.seeReader();
  switch (message.kind) {
    case 'state':
      show(message.state);
      break;
    case 'turn':
      transcript.grow(message.turn);
      break;
    case 'size':
      composer.showSize(message.size);
      break;
    case 'choices':
      composer.showChoices(message.query, message.choices);
      break;
    case 'fill':
      composer.fill(message.text);
      break;
    case 'focus':
      composer.focus();
      break;
  }
}

function show(state: PanelState): void {
  const focused = document.activeElement;
  setText(element('model'), state.modelName || t('the model'));
  setText(element('model-name'), state.modelName);
  element('chooseModel').hidden = state.modelName === '';
  element('chooseModel').setAttribute('aria-label', t('{0}: choose another model', state.modelName));
  // A user who has asked once needs no hint.
  element('hint').hidden = state.turns.length > 0;
  showConversations(state);
  notice.hidden = state.notice === null;
  setText(element('notice-text'), state.notice?.text ?? '');
  notice.classList.toggle('error', state.notice?.isError === true);
  showButton('action', state.notice?.actionLabel ?? null);
  showButton('otherAction', state.notice?.otherActionLabel ?? null);
  transcript.show(state);
  composer.show(state);
  // A control that has done its work, such as an attachment's, must not take the keyboard focus with it.
  if (focused !== null && isGone(focused) && document.hasFocus()) composer.focus();
}

function isGone(focused: Element): boolean {
  return !focused.isConnected || focused.closest('[hidden]') !== null;
}

/** Leaves an open list alone. */
function showConversations({ conversations: items, currentId }: PanelState): void {
  const isShown =
    items.length === conversations.length &&
    items.every(({ id, title }, index) => {
      const option = conversations.options[index];
      return option?.value === id && option.textContent === title;
    });
  if (!isShown) {
    conversations.replaceChildren(...items.map(({ id, title }) => make('option', { value: id, textContent: title })));
  }
  conversations.value = currentId;
}

function showButton(id: string, label: string | null): void {
  setText(element(id), label ?? '');
  element(id).hidden = label === null;
}
