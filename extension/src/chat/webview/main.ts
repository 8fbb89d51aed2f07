import type { MessageFromWebview, MessageToWebview, PanelState } from './messages.js';

interface WebviewHost {
  postMessage(message: MessageFromWebview): void;
}
declare function acquireVsCodeApi(): WebviewHost;

const host = acquireVsCodeApi();
const headline = element('headline');
const facts = element('facts');
const chatNote = element('chat-note');
const action = element('action');

action.addEventListener('click', () => host.postMessage({ kind: 'action' }));
// Only the extension can post to this frame.
window.addEventListener('message', (event: MessageEvent<MessageToWebview>) => render(event.data.state));
host.postMessage({ kind: 'ready' });

function render(state: PanelState): void {
  setText(headline, state.headline);
  headline.classList.toggle('error', state.isError);
  renderFacts(state);
  setText(chatNote, state.chatNote);
  setText(action, state.actionLabel ?? '');
  action.hidden = state.actionLabel === null;
}

/** Existing rows are kept, so that a reader's selection survives the next update. */
function renderFacts(state: PanelState): void {
  const wanted = state.facts.flatMap((fact) => [
    { tag: 'dt', text: fact.label },
    { tag: 'dd', text: fact.value },
  ]);
  while (facts.children.length > wanted.length) facts.lastElementChild?.remove();
  wanted.forEach(({ tag, text }, index) => {
    const cell = facts.children[index] ?? facts.appendChild(document.createElement(tag));
    setText(cell, text);
  });
}

/** An unchanged live region must not be written again: screen readers would repeat it. */
function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element #${id}`);
  return found;
}
