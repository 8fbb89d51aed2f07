import { commands } from 'vscode';
import type { EngineState } from '../../server/protocol/index.js';

/** What the `when` clauses in package.json ask for. */
const STATE_KEY = 'inkling.state';
const HAS_ACCEPTED_KEY = 'inkling.hasAccepted';

/** Tells VS Code what its menus, the command palette and the walkthrough depend on; only what has changed. */
export class ContextKeys {
  readonly #known = new Map<string, unknown>();

  showState(state: EngineState): void {
    // The palette is the same while a suggestion is computed.
    this.#set(STATE_KEY, state.kind === 'working' ? 'ready' : state.kind);
  }

  /** A suggestion was taken, in whole or in part. */
  showAccepted(): void {
    this.#set(HAS_ACCEPTED_KEY, true);
  }

  #set(key: string, value: string | boolean): void {
    if (this.#known.get(key) === value) return;
    this.#known.set(key, value);
    void commands.executeCommand('setContext', key, value);
  }
}
