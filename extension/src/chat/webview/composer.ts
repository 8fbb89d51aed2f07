import { t } from '../../../../server/protocol/index.js';
import { type Choice, ChoiceMenu } from './choice-menu.js';
import { droppedAddresses, takesDrop } from './dropped.js';
import { button, element, make, setText } from './elements.js';
import {
  type AttachChoice,
  type CommandItem,
  type MessageFromWebview,
  MOST_DROPPED,
  type PanelState,
  type SizeView,
} from './messages.js';

/** The input with its parts: attachments, the choices for `@` and `/`, the size, and the buttons. */
export class Composer {
  readonly #input = element<HTMLTextAreaElement>('input');
  readonly #menu = new ChoiceMenu(this.#input, () => this.#askUnlessRunning());
  readonly #attachments = element('attachments');
  readonly #size = element('size');
  readonly #meter = element<HTMLMeterElement>('meter');
  readonly #think = element<HTMLInputElement>('think');
  readonly #thinkLabel = element('think-label');
  readonly #send = element<HTMLButtonElement>('send');
  readonly #stop = element<HTMLButtonElement>('stop');
  readonly #cancel = element<HTMLButtonElement>('cancel');
  #commands: readonly CommandItem[] = [];
  #canAsk = false;
  #running = false;
  /** The model was asked, and the extension has not said yet that it runs. */
  #isExpecting = false;
  #isEditing = false;
  /** The extension searches for the list of `@`. */
  #isFinding = false;

  readonly #post: (message: MessageFromWebview) => void;
  readonly #keepDraft: (text: string) => void;

  constructor(post: (message: MessageFromWebview) => void, draft: string, keepDraft: (text: string) => void) {
    this.#post = post;
    this.#keepDraft = keepDraft;
    this.#input.value = draft;
    element('composer').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#ask();
    });
    this.#input.addEventListener('input', () => this.#changed());
    this.#input.addEventListener('keydown', (event) => this.#handleKey(event));
    this.#input.addEventListener('blur', () => {
      this.#endFinding();
      this.#menu.close();
    });
    element('attach').addEventListener('click', () => this.#startMention());
    this.#stop.addEventListener('click', () => {
      post({ kind: 'stop' });
      this.#input.focus();
    });
    this.#cancel.addEventListener('click', () => this.#cancelEdit());
    this.#think.addEventListener('change', () => post({ kind: 'think', think: this.#think.checked }));
    document.addEventListener('dragover', (event) => {
      if (takesDrop(event.dataTransfer?.types ?? [])) event.preventDefault();
    });
    document.addEventListener('drop', (event) => this.#drop(event));
  }

  show(state: PanelState): void {
    const { canAsk, running, editing, attachments, thinking, think, commands } = state;
    this.#canAsk = canAsk;
    this.#running = running;
    if (running) this.#isExpecting = false;
    this.#isEditing = editing !== null;
    this.#commands = commands;
    this.#send.hidden = running;
    this.#send.disabled = !canAsk;
    this.#stop.hidden = !running;
    this.#cancel.hidden = !this.#isEditing;
    setText(this.#send, this.#isEditing ? t('Ask again') : t('Ask'));
    this.#thinkLabel.hidden = thinking !== 'optional';
    this.#think.checked = think;
    const shown = [...this.#attachments.children].map(({ id }) => id).join();
    if (shown !== attachments.map(({ id }) => `chip-${id}`).join()) {
      this.#attachments.replaceChildren(
        ...attachments.map(({ id, label, isAutomatic }) => {
          const remove = button('×', t('Remove {0}', label), () => this.#post({ kind: 'detach', id }));
          const chip = make('li', { id: `chip-${id}` }, [make('span', { textContent: label }), remove]);
          if (isAutomatic) {
            chip.className = 'automatic';
            chip.title = t('Attached automatically: what you work on');
            // A screen reader has neither the broken frame nor the pointer.
            remove.before(make('span', { className: 'hidden-text', textContent: `. ${chip.title}` }));
          }
          return chip;
        }),
      );
    }
    this.#attachments.hidden = attachments.length === 0;
  }

  showSize(size: SizeView | null): void {
    const share = size?.share ?? 0;
    setText(this.#size, size?.text ?? '');
    this.#size.classList.toggle('error', share > 1);
    this.#meter.hidden = size === null;
    this.#meter.value = Math.min(1, share);
    // A low window has room for them only then.
    for (const each of [this.#size, this.#meter]) each.classList.toggle('nearly-full', share >= this.#meter.high);
  }

  showChoices(query: string, choices: readonly AttachChoice[]): void {
    if (!this.#menu.isWaiting || mention(this.#beforeCursor()) !== query) return;
    this.#menu.open(
      choices.map(({ label, detail, what }) => ({
        label,
        detail,
        choose: () => {
          // A click may come when more of the name was typed.
          const typed = mention(this.#beforeCursor());
          if (typed !== null) this.#replaceBeforeCursor(typed.length + 1, '');
          this.#post({ kind: 'attach', what });
        },
      })),
    );
  }

  /** Replaces the text without a list of choices for what it may end with. */
  fill(text: string): void {
    this.#input.value = text;
    this.#input.setSelectionRange(text.length, text.length);
    this.#keepDraft(text);
    this.#endFinding();
    this.#menu.close();
  }

  focus(): void {
    this.#input.focus();
    this.#input.setSelectionRange(this.#input.value.length, this.#input.value.length);
  }

  #ask(): void {
    const text = this.#input.value;
    if (!this.#canAsk || text.trim() === '') return;
    this.#input.value = '';
    this.#changed();
    this.#post({ kind: 'ask', text });
    this.expectAnswer();
  }

  #askUnlessRunning(): void {
    if (!this.#running) this.#ask();
  }

  /** The model was asked: Escape stops it from now on, before the extension says that it runs. */
  expectAnswer(): void {
    this.#running = true;
    this.#isExpecting = true;
    this.#isEditing = false;
    // The button that was pressed disappears while the answer streams.
    this.focus();
  }

  #handleKey(event: KeyboardEvent): void {
    // An input method handles its keys itself while it composes.
    if (event.isComposing) return;
    const { key, shiftKey } = event;
    if (this.#menu.handleKey(key)) event.preventDefault();
    else if (key === 'Enter' && !shiftKey) {
      event.preventDefault();
      this.#askUnlessRunning();
    } else if (key === 'Escape' && this.#running) this.#post({ kind: 'stop' });
    else if (key === 'Escape' && this.#isEditing) this.#cancelEdit();
    // A state that was on its way when the model was asked says that nothing runs.
    else if (key === 'Escape' && this.#isExpecting) this.#post({ kind: 'stop' });
  }

  #cancelEdit(): void {
    this.#post({ kind: 'cancelEdit' });
    this.focus();
  }

  #changed(): void {
    const text = this.#input.value;
    this.#keepDraft(text);
    this.#post({ kind: 'draft', text });
    const before = this.#beforeCursor();
    const query = mention(before);
    if (query !== null) {
      if (!this.#isFinding) this.#menu.close();
      this.#isFinding = true;
      this.#menu.wait(query);
      this.#post({ kind: 'find', query });
      return;
    }
    this.#endFinding();
    this.#menu.open(/^\/[^\s/]*$/.test(before) ? this.#commandChoices(before.slice(1)) : []);
  }

  #endFinding(): void {
    if (this.#isFinding) this.#post({ kind: 'find', query: null });
    this.#isFinding = false;
  }

  #commandChoices(typed: string): Choice[] {
    const wanted = typed.normalize().toLowerCase();
    return this.#commands
      .filter(({ name }) => name.toLowerCase().startsWith(wanted))
      .map(({ name, summary }) => ({
        label: `/${name}`,
        detail: summary,
        choose: () => this.#replaceBeforeCursor(typed.length + 1, `/${name} `),
      }));
  }

  #startMention(): void {
    this.#input.focus();
    const before = this.#beforeCursor();
    this.#replaceBeforeCursor(0, before === '' || /\s$/.test(before) ? '@' : ' @');
  }

  #beforeCursor(): string {
    return this.#input.value.slice(0, this.#input.selectionStart);
  }

  #replaceBeforeCursor(length: number, text: string): void {
    const at = this.#input.selectionStart;
    this.#input.setRangeText(text, at - length, at, 'end');
    this.#changed();
  }

  #drop(event: DragEvent): void {
    const { dataTransfer } = event;
    if (dataTransfer === null || !takesDrop(dataTransfer.types)) return;
    event.preventDefault();
    const uris = droppedAddresses(dataTransfer).slice(0, MOST_DROPPED);
    if (uris.length > 0) this.#post({ kind: 'drop', uris });
  }
}

/** The letters after an `@` at the end of the text; null without one, and for more letters than a file's name has. */
function mention(text: string): string | null {
  return /(?:^|\s)@([^\s@]{0,255})$/.exec(text)?.[1] ?? null;
}
