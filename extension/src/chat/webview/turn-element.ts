import { t } from '../../../../server/protocol/index.js';
import { iconButton, make, setText } from './elements.js';
import { isEqual } from './equal.js';
import { growNodes, growText } from './grow-nodes.js';
import { type MarkdownBlock, markdownBlocks, renderMarkdown } from './markdown.js';
import type { CodeAction, MessageFromWebview, PanelState, TurnView } from './messages.js';

/** Each action has its icon's name. */
function codeActions(): readonly { readonly action: CodeAction; readonly label: string }[] {
  return [
    { action: 'copy', label: t('Copy the code') },
    { action: 'insert', label: t('Insert the code at the cursor') },
    { action: 'apply', label: t('Apply the code to the file') },
    { action: 'newFile', label: t('New file with the code') },
  ];
}

type Post = (message: MessageFromWebview) => void;

export type TurnSurroundings = Pick<PanelState, 'editing' | 'canAsk'>;

/** A question with its answer. Leaves unchanged parts alone, so that focus and selection survive the stream. */
export class TurnElement {
  readonly root = make('article');
  readonly #question = make('div', { className: 'question' });
  readonly #questionText = make('p');
  readonly #attachments = make('ul', { className: 'chips' });
  readonly #thinking = make('details', { className: 'thinking' });
  readonly #thinkingSummary = make('summary');
  readonly #thinkingText = document.createTextNode('');
  readonly #answer = make('div', { className: 'answer' });
  readonly #remark = make('p', { className: 'hint' });
  readonly #error = make('p', { className: 'error' });
  readonly #retry: HTMLButtonElement;
  readonly #edit: HTMLButtonElement;
  #blocks: { readonly block: MarkdownBlock; readonly nodes: readonly ChildNode[] }[] = [];
  #shown: TurnView | null = null;

  readonly #post: Post;

  constructor(
    readonly id: string,
    number: number,
    post: Post,
  ) {
    this.#post = post;
    this.#edit = iconButton('edit', t('Edit question {0}', number), () => post({ kind: 'edit', turnId: id }));
    this.#retry = iconButton('retry', t('Retry: answer question {0} again', number), () =>
      post({ kind: 'retry', turnId: id }),
    );
    this.#question.append(
      make('h2', { className: 'hidden-text', textContent: t('Question {0}', number) }),
      this.#questionText,
      this.#attachments,
      this.#edit,
    );
    for (const each of [this.#edit, this.#retry]) each.classList.add('action');
    this.#attachments.setAttribute('aria-label', t('Attached'));
    const thinkingText = make('div', { className: 'thinking-text' }, [this.#thinkingText]);
    this.#thinking.append(this.#thinkingSummary, thinkingText);
    const answerHeading = make('h2', { className: 'hidden-text', textContent: t('Answer {0}', number) });
    this.root.append(
      this.#question,
      answerHeading,
      this.#thinking,
      this.#answer,
      this.#error,
      this.#remark,
      this.#retry,
    );
    this.root.setAttribute('aria-label', t('Question {0} and its answer', number));
  }

  show(turn: TurnView, { editing, canAsk }: TurnSurroundings): void {
    this.root.classList.toggle('editing', editing === this.id);
    // A model that cannot answer would only take the answer away.
    this.#retry.hidden = turn.state === 'running' || !canAsk;
    const before = this.#shown;
    if (isEqual(turn, before)) return;
    this.#shown = turn;
    const running = turn.state === 'running';
    setText(this.#questionText, turn.question);
    this.#attachments.replaceChildren(...turn.attachments.map(({ label }) => make('li', { textContent: label })));
    this.#attachments.hidden = turn.attachments.length === 0;
    this.#thinking.hidden = turn.thinking === '';
    setText(this.#thinkingSummary, running && turn.answer === '' ? t('Reasoning…') : t('Reasoning'));
    growText(this.#thinkingText, turn.thinking);
    if (turn.answer !== before?.answer) this.#showAnswer(turn.answer);
    this.#answer.setAttribute('aria-busy', String(running));
    this.#answer.classList.toggle('running', running);
    setText(this.#error, turn.error ?? '');
    this.#error.hidden = turn.error === null;
    setText(this.#remark, turn.remark ?? '');
    this.#remark.hidden = turn.remark === null;
    this.#edit.hidden = running;
  }

  /** From the first changed block on. Within it, what is the same stays: a reader may have selected some of it. */
  #showAnswer(text: string): void {
    const { blocks, definitions } = markdownBlocks(text);
    const changed = blocks.findIndex((block, index) => !isEqual(block, this.#blocks[index]?.block));
    const kept = changed < 0 ? blocks.length : changed;
    const made = blocks.slice(kept).map((block) => {
      const fragment = renderMarkdown(block, definitions);
      for (const pre of fragment.querySelectorAll('pre')) this.#addToolbar(pre);
      return { block, nodes: [...fragment.childNodes] };
    });
    const before = this.#blocks.splice(kept).flatMap(({ nodes }) => nodes);
    const wanted = made.flatMap(({ nodes }) => nodes);
    const shown = growNodes(this.#answer, before, wanted);
    for (const { block, nodes } of made) this.#blocks.push({ block, nodes: shown.splice(0, nodes.length) });
  }

  #addToolbar(pre: HTMLPreElement): void {
    const language = languageOf(pre.querySelector('code'));
    const bar = make('div', { className: 'code-bar' }, [make('span', { textContent: language || t('code') })]);
    bar.setAttribute('role', 'group');
    bar.setAttribute('aria-label', t('Code, {0}', language || t('no language')));
    for (const { action, label } of codeActions()) {
      const run = () => {
        // The block in which the button stands: while the answer grows, one may get the buttons of the next.
        const code = bar.parentElement?.querySelector('code') ?? null;
        const text = code?.textContent ?? '';
        this.#post({ kind: 'code', action, turnId: this.id, code: text, language: languageOf(code) });
      };
      const made = iconButton(action, label, run);
      made.classList.add('action');
      bar.append(made);
    }
    // The block scrolls sideways, so it must be reachable by keyboard.
    pre.tabIndex = 0;
    const box = make('div', { className: 'code' }, [bar]);
    pre.replaceWith(box);
    box.append(pre);
  }
}

function languageOf(code: Element | null): string {
  return /language-(\S+)/.exec(code?.className ?? '')?.[1] ?? '';
}
