import { type Disposable, StatusBarAlignment, type StatusBarItem, window } from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { INKLING_COMMANDS } from '../manifest/command-ids.js';
import { plainText } from '../texts/plain-text.js';

/** Tells the command that the status bar has the keyboard. */
export const CLICK = 'click';

/**
 * Says in the status bar that there is a next edit: a button for the mouse, and the only text of an extension that VS
 * Code lets screen readers speak by itself.
 */
export class NextEditItem implements Disposable {
  readonly #item: StatusBarItem;
  #spoken: string | null = null;

  constructor() {
    this.#item = window.createStatusBarItem('inkling.nextEdit', StatusBarAlignment.Right, 99);
    this.#item.name = t('Inkling: next edit');
    this.#item.command = { command: INKLING_COMMANDS.acceptNextEdit, title: t('Next edit'), arguments: [CLICK] };
  }

  /** @param spoken said once, until it changes */
  show(spoken: string): void {
    if (spoken === this.#spoken) return;
    this.#spoken = spoken;
    this.#item.text = `$(edit) ${t('Next edit')}`;
    this.#item.tooltip = plainText(spoken);
    this.#item.accessibilityInformation = { label: plainText(spoken), role: 'alert' };
    this.#item.show();
  }

  hide(): void {
    this.#spoken = null;
    this.#item.hide();
  }

  dispose(): void {
    this.#item.dispose();
  }
}
