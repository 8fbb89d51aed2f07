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
  /** Whether the reader was at the end when last seen. */
  #follows = true;
  /** In pixels from the top, where the reader was when last seen. */
  #top = 0;
  #frame = 0;
  readonly #grown = new Map<string, TurnView>();

  readonly #post: (message: MessageFromWebview) => void;

  constructor(post: (message: MessageFromWebview) => void) {
    this.#post = post;
    this.#list.addEventListener('scroll', () => this.seeReader());
    // An opened part is longer: who reads it follows no more. Its event does not bubble.
    this.#list.addEventListener(
      'toggle',
      () => {
        this.#follows = this.#isAtEnd;
      },
      true,
    );
    // A notice, an attachment or a longer question takes some of the room.
    new ResizeObserver(() => {
      if (this.#follows) this.#scrollToEnd();
    }).observe(this.#list);
  }

  /**
   * Whether the reader follows the answer from now on. To call also before anything on the page changes, since the event
   * of scrolling comes up to a frame late: by then, what has changed can have pushed the end out of sight.
   */
  seeReader(): void {
    const { scrollTop } = this.#list;
    if (this.#isAtEnd) this.#follows = true;
    // The page itself never moves up from the end.
    else if (scrollTop < this.#top) this.#follows = false;
    this.#top = scrollTop;
  }

  show({ turns, editing, canAsk, hint }: PanelState): void {
    setText(this.#empty, hint);
    this.#around = { editing, canAsk };
    const kept = this.#turns.findIndex(({ id }, index) => turns[index]?.id !== id);
    for (const gone of this.#turns.splice(kept < 0 ? turns.length : kept)) gone.root.remove();
    if (turns.length > this.#shown.length) this.#follows = true;
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
    if (this.#follows) this.#scrollToEnd();
  }

  /** Draws once per frame, however fast the pieces arrive. */
  grow(turn: TurnView): void {
    this.#grown.set(turn.id, turn);
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      for (const each of this.#grown.values()) {
        // The state from a later message counts.
        if (this.#shown.find(({ id }) => id === each.id)?.state !== 'running') continue;
        this.#turns.find(({ id }) => id === each.id)?.show(each, this.#around);
      }
      this.#grown.clear();
      if (this.#follows) this.#scrollToEnd();
    });
  }

  get #isAtEnd(): boolean {
    return this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < END_PIXELS;
  }

  #scrollToEnd(): void {
    this.#list.scrollTop = this.#list.scrollHeight;
    this.#top = this.#list.scrollTop;
  }
}
