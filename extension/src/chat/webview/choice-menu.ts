import { element, make } from './elements.js';

export interface Choice {
  readonly label: string;
  readonly detail: string;
  choose(): void;
}

/** The list above the input for `@` and `/`. The focus stays in the input, which names the active choice. */
export class ChoiceMenu {
  readonly #list = element('menu');
  #choices: readonly Choice[] = [];
  #active = 0;

  readonly #input: HTMLTextAreaElement;

  constructor(input: HTMLTextAreaElement) {
    this.#input = input;
  }

  get isOpen(): boolean {
    return !this.#list.hidden;
  }

  open(choices: readonly Choice[]): void {
    this.#choices = choices;
    this.#active = 0;
    this.#list.hidden = choices.length === 0;
    this.#list.replaceChildren(
      ...choices.map(({ label, detail, choose }, index) => {
        const item = make('div', { id: `choice-${index}`, className: 'option', onclick: choose }, [
          make('span', { textContent: label }),
          make('span', { className: 'hint', textContent: detail }),
        ]);
        item.setAttribute('role', 'option');
        // A click must not take the input's focus.
        item.onmousedown = (event) => event.preventDefault();
        return item;
      }),
    );
    this.#mark();
  }

  close(): void {
    this.open([]);
  }

  /** @returns whether the menu handled the key */
  handleKey(key: string): boolean {
    if (!this.isOpen) return false;
    switch (key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const step = key === 'ArrowDown' ? 1 : this.#choices.length - 1;
        this.#active = (this.#active + step) % this.#choices.length;
        this.#mark();
        return true;
      }
      case 'Enter':
      case 'Tab':
        this.#choices[this.#active]?.choose();
        return true;
      case 'Escape':
        this.close();
        return true;
      default:
        return false;
    }
  }

  #mark(): void {
    [...this.#list.children].forEach((item, index) => {
      item.setAttribute('aria-selected', String(index === this.#active));
      if (index === this.#active) item.scrollIntoView({ block: 'nearest' });
    });
    if (this.isOpen) this.#input.setAttribute('aria-activedescendant', `choice-${this.#active}`);
    else this.#input.removeAttribute('aria-activedescendant');
  }
}
