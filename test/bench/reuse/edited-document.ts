import { type CursorPlace, cursorPlace, middleOf } from '../../../server/src/completion/anchor/anchor.js';
import type { AnchorKeeper } from '../../../server/src/completion/anchor/anchor-keeper.js';
import { canHeal, promptFrom, requestBudget } from '../../../server/src/completion/suggestion-maker.js';
import type { NativeGenerateRequest, NativeModelFacts } from '../../../server/src/engine/addon/addon-types.js';
import { EMPTY_CONTEXT } from '../../../server/src/prompt/context-block.js';
import { fimTemplateFor } from '../../../server/src/prompt/fim-template.js';
import { DEFAULT_PROMPT_TOKENS } from '../../../server/src/prompt/token-budget.js';

export type PromptRequest = Pick<NativeGenerateRequest, 'prompt' | 'sectionBoundaries' | 'heal'>;

/** A document with a cursor, edited like in an editor, with the prompts of our server, anchor included. */
export class EditedDocument {
  readonly #anchors: AnchorKeeper;
  readonly #facts: NativeModelFacts;
  readonly #name: string;
  text: string;
  cursor: number;

  constructor(anchors: AnchorKeeper, facts: NativeModelFacts, name: string, text: string, cursor: number) {
    this.#anchors = anchors;
    this.#facts = facts;
    this.#name = name;
    this.text = text;
    this.cursor = cursor;
  }

  type(inserted: string): void {
    this.#replace(this.cursor, 0, inserted);
  }

  deleteLeft(): void {
    this.#replace(this.cursor - 1, 1, '');
  }

  /** Inserts at the document's start; the cursor stays in its line. */
  insertAtStart(inserted: string): void {
    this.#replace(0, 0, inserted);
  }

  prompt(maxTokens: number): PromptRequest {
    const template = fimTemplateFor(this.#facts);
    if (template === null) throw new Error('the model has no fill-in-the-middle tokens');
    const place: CursorPlace = cursorPlace(this.#name, this.text, this.cursor, null, 0);
    const { budget } = requestBudget(
      { facts: this.#facts, template, promptTokens: DEFAULT_PROMPT_TOKENS },
      this.#name,
      maxTokens,
    );
    const { anchor } = this.#anchors.anchorFor(place, budget, EMPTY_CONTEXT);
    const middle = middleOf(anchor, place);
    const { parts, sectionBoundaries } = promptFrom(anchor, template, this.#name, middle);
    return { prompt: parts, sectionBoundaries, heal: canHeal(middle) };
  }

  #replace(offset: number, removed: number, inserted: string): void {
    const change = { offset, removed: this.text.slice(offset, offset + removed), inserted };
    this.text = this.text.slice(0, offset) + inserted + this.text.slice(offset + removed);
    if (offset <= this.cursor) this.cursor += inserted.length - removed;
    this.#anchors.follow(this.#name, [change]);
  }
}
