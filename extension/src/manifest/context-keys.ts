import { commands } from 'vscode';
import { drawbackOf, type EngineState } from '../../../server/protocol/index.js';

/** The keys of the `when` clauses in package.json. */
const STATE_KEY = 'inkling.state';
const HAS_ACCEPTED_KEY = 'inkling.hasAccepted';
const EDIT_VISIBLE_KEY = 'inkling.editVisible';
const NEXT_EDIT_VISIBLE_KEY = 'inkling.nextEditVisible';
const NEXT_EDIT_TAKES_TAB_KEY = 'inkling.nextEditTakesTab';

/** Sets the context keys for VS Code's menus, command palette and walkthrough; only changed ones. */
export class ContextKeys {
  readonly #known = new Map<string, unknown>();

  showState(state: EngineState): void {
    // Both states have the same menus. A model with a drawback is loaded, and may be loaded otherwise.
    const kind = state.kind === 'working' ? 'ready' : state.kind;
    this.#set(STATE_KEY, drawbackOf(state) === null ? kind : 'drawback');
  }

  /** The user accepted a suggestion or a part of one. */
  showAccepted(): void {
    this.#set(HAS_ACCEPTED_KEY, true);
  }

  /** @param visible an edit of the chat model waits for the user */
  showEdit(visible: boolean): void {
    this.#set(EDIT_VISIBLE_KEY, visible);
  }

  /** @param takesTab Tab would not indent */
  showNextEdit(visible: boolean, takesTab: boolean): void {
    this.#set(NEXT_EDIT_VISIBLE_KEY, visible);
    this.#set(NEXT_EDIT_TAKES_TAB_KEY, takesTab);
  }

  #set(key: string, value: string | boolean): void {
    if (this.#known.get(key) === value) return;
    this.#known.set(key, value);
    void commands.executeCommand('setContext', key, value);
  }
}
