import { element, make } from './elements.js';
import { inLowerCase, placeOfLetters } from './letters.js';

export interface Choice {
  readonly label: string;
  readonly detail: string;
  choose(): void;
}

/**
 * The list above the input for `@` and `/`. The focus stays in the input, which names the active choice. While better
 * choices are on their way, Enter and Tab wait for them.
 */
export class ChoiceMenu {
  readonly #list = element('menu');
  #choices: readonly Choice[] = [];
  #active = 0;
  /** The user has gone to the active choice. */
  #hasMoved = false;
  #isWaiting = false;
  /** The key that waits for choices. */
  #held: 'Enter' | 'Tab' | null = null;

  readonly #input: HTMLTextAreaElement;
  readonly #onEnter: () => void;

  /** @param onEnter runs where Enter has waited and there is nothing to choose */
  constructor(input: HTMLTextAreaElement, onEnter: () => void) {
    this.#input = input;
    this.#onEnter = onEnter;
  }

  /** Whether choices are expected. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  open(choices: readonly Choice[]): void {
    const held = this.#held;
    this.#isWaiting = false;
    this.#held = null;
    this.#show(choices);
    if (held === null) return;
    const [first] = choices;
    if (first !== undefined) first.choose();
    else if (held === 'Enter') this.#onEnter();
  }

  /** Shows only those of its choices that have the letters, until it is opened with others. */
  wait(letters: string): void {
    const typed = inLowerCase(letters);
    const fits = (text: string) => placeOfLetters(inLowerCase(text), typed) !== null;
    this.#isWaiting = true;
    this.#held = null;
    this.#show(this.#choices.filter(({ label, detail }) => fits(label) || fits(detail)));
  }

  close(): void {
    this.#isWaiting = false;
    this.#held = null;
    this.#show([]);
  }

  /** @returns whether the menu handled the key */
  handleKey(key: string): boolean {
    const isOpen = this.#isOpen;
    if (!isOpen && !this.#isWaiting) return false;
    switch (key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        if (!isOpen) return false;
        const step = key === 'ArrowDown' ? 1 : this.#choices.length - 1;
        this.#active = (this.#active + step) % this.#choices.length;
        this.#hasMoved = true;
        this.#mark();
        return true;
      }
      case 'Enter':
      case 'Tab':
        if (this.#isWaiting && !this.#hasMoved) this.#held = key;
        else this.#choices[this.#active]?.choose();
        return true;
      case 'Escape':
        this.close();
        return isOpen;
      default:
        return false;
    }
  }

  get #isOpen(): boolean {
    return !this.#list.hidden;
  }

  #show(choices: readonly Choice[]): void {
    this.#choices = choices;
    this.#active = 0;
    this.#hasMoved = false;
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

  #mark(): void {
    [...this.#list.children].forEach((item, index) => {
      item.setAttribute('aria-selected', String(index === this.#active));
      if (index === this.#active) item.scrollIntoView({ block: 'nearest' });
    });
    if (this.#isOpen) this.#input.setAttribute('aria-activedescendant', `choice-${this.#active}`);
    else this.#input.removeAttribute('aria-activedescendant');
  }
}
