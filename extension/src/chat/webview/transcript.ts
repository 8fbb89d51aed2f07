import { announced } from './announced.js';
import { element, make, setText } from './elements.js';
import type { MessageFromWebview, PanelState, TurnView } from './messages.js';
import { TurnElement, type TurnSurroundings } from './turn-element.js';

/** A reader this close to the end follows the answer. */
const END_PIXELS = 48;

/** The conversation as a list of turns. */
export class Transcript {
  readonly #list = element('transcript');
  readonly #announcement = element('announcement');
  readonly #empty = make('p', { className: 'hint' });
  #turns: TurnElement[] = [];
  #shown: readonly TurnView[] = [];
  #around: TurnSurroundings = { editing: null, canAsk: false };
  #frame = 0;
  readonly #grown = new Map<string, TurnView>();

  readonly #post: (message: MessageFromWebview) => void;

  constructor(post: (message: MessageFromWebview) => void) {
    this.#post = post;
  }

  show({ turns, editing, canAsk, hint }: PanelState): void {
    setText(this.#empty, hint);
    this.#around = { editing, canAsk };
    const kept = this.#turns.findIndex(({ id }, index) => turns[index]?.id !== id);
    for (const gone of this.#turns.splice(kept < 0 ? turns.length : kept)) gone.root.remove();
    const follows = this.#follows || turns.length > this.#shown.length;
    for (const turn of turns.slice(this.#turns.length)) {
      const made = new TurnElement(turn.id, this.#turns.length + 1, this.#post);
      this.#turns.push(made);
      this.#list.append(made.root);
    }
    turns.forEach((turn, index) => {
      this.#turns[index]?.show(turn, this.#around);
      const news = announced(turn, this.#shown);
      if (news !== null) setText(this.#announcement, news);
    });
    this.#shown = turns;
    if (turns.length === 0 && canAsk) this.#list.append(this.#empty);
    else this.#empty.remove();
    if (follows) this.#list.scrollTop = this.#list.scrollHeight;
  }

  /** Draws once per frame, however fast the pieces arrive. */
  grow(turn: TurnView): void {
    this.#grown.set(turn.id, turn);
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const follows = this.#follows;
      for (const each of this.#grown.values()) {
        // The state from a later message counts.
        if (this.#shown.find(({ id }) => id === each.id)?.state !== 'running') continue;
        this.#turns.find(({ id }) => id === each.id)?.show(each, this.#around);
      }
      this.#grown.clear();
      if (follows) this.#list.scrollTop = this.#list.scrollHeight;
    });
  }

  get #follows(): boolean {
    return this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < END_PIXELS;
  }
}
