import {
  CodeAction,
  CodeActionKind,
  type CodeActionProvider,
  type Disposable,
  languages,
  type Range,
  type TextDocument,
} from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { INTERNAL_COMMANDS } from '../manifest/command-ids.js';

/** *Make next edit* in the list of code actions: for the mouse and for screen readers. */
export class NextEditAction implements CodeActionProvider, Disposable {
  readonly #offerAt: (document: TextDocument, line: number) => string | null;
  readonly #registration: Disposable;

  /** @param offerAt what the edit that this line offers does; null without one */
  constructor(offerAt: (document: TextDocument, line: number) => string | null) {
    this.#offerAt = offerAt;
    this.#registration = languages.registerCodeActionsProvider('*', this, {
      providedCodeActionKinds: [CodeActionKind.Refactor],
    });
  }

  provideCodeActions(document: TextDocument, range: Range): CodeAction[] {
    const what = this.#offerAt(document, range.start.line);
    if (what === null) return [];
    const title = t('Make next edit: {0}', what);
    const action = new CodeAction(title, CodeActionKind.Refactor);
    action.command = { title, command: INTERNAL_COMMANDS.makeNextEdit };
    return [action];
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
