import { Disposable, window, workspace } from 'vscode';
import type { InklingSettings } from '../../../server/protocol/index.js';
import { DOCUMENT_SCHEMES } from './document-schemes.js';

/** A language that is edited with automatic suggestions on, and the user's settings of languages. */
export interface EditedLanguage {
  readonly languageId: string;
  readonly languages: InklingSettings['languages'];
}

/**
 * Follows the active editor.
 *
 * @param show gets the language now and when it may have changed; null where there are no automatic suggestions anyway
 */
export function followActiveLanguage(
  settings: () => InklingSettings,
  onDidChangeSettings: (listener: () => void) => Disposable,
  show: (edited: EditedLanguage | null) => void,
): Disposable {
  const update = (): void => {
    const document = window.activeTextEditor?.document;
    const { trigger, languages } = settings();
    const isEdited = document !== undefined && DOCUMENT_SCHEMES.includes(document.uri.scheme);
    show(isEdited && trigger === 'automatic' ? { languageId: document.languageId, languages } : null);
  };
  update();
  return Disposable.from(
    window.onDidChangeActiveTextEditor(update),
    // A document that gets another language is opened again.
    workspace.onDidOpenTextDocument(update),
    onDidChangeSettings(update),
  );
}
