import { Disposable, type LogOutputChannel, type TextEditor, workspace } from 'vscode';
import {
  ACCEPTANCE_NOTIFICATION,
  type Acceptance as AcceptanceEvent,
  languageEnabled,
  NEXT_EDIT_OUTCOME_NOTIFICATION,
  parseSettings,
  t,
} from '../../server/protocol/index.js';
import { describeUnservedScheme } from './editor/document-schemes.js';
import type { ContextKeys } from './manifest/context-keys.js';
import {
  settingsWithoutGhostText,
  snoozedSettings,
  type WrittenSettings,
  writtenSettings,
} from './manifest/settings.js';
import type { UserSettings } from './manifest/user-settings.js';
import { NextEdits } from './next-edit/next-edits.js';
import { GHOST_TEXT_SETTING, mayShowGhostText, onDidChangeGhostText } from './suggestions/ghost-text-setting.js';
import {
  Acceptance,
  type AcceptEvent,
  createInlineCompletionMiddleware,
  hasSeveralCursors,
} from './suggestions/inline-completion.js';
import { Snooze } from './suggestions/snooze.js';

export interface SuggestionsParts {
  readonly settings: UserSettings;
  readonly contextKeys: ContextKeys;
  readonly notify: (method: string, parameters: object) => void;
  /** The user asked for a suggestion, and there is none. */
  readonly explainNothing: () => void;
  readonly log: LogOutputChannel;
}

/** Suggestions and next edits in the editor: when they may appear, and what became of them. */
export class Suggestions implements Disposable {
  readonly snooze = new Snooze();
  readonly nextEdits: NextEdits;
  /** Between VS Code and the language client. */
  readonly middleware: ReturnType<typeof createInlineCompletionMiddleware>;
  #lastAccepted: AcceptEvent | null = null;
  /** An edit of the chat model waits for the user; another edit would only be in the way. */
  #editWaits = false;
  readonly #disposables: Disposable;

  readonly #settings: UserSettings;

  constructor({ settings, contextKeys, notify, explainNothing, log }: SuggestionsParts) {
    this.#settings = settings;
    const { snooze } = this;
    const nextEdits = new NextEdits({
      mode: () => {
        const { enabled, nextEditMode } = settings.current;
        return snooze.active || this.#editWaits || !enabled ? 'off' : nextEditMode;
      },
      report: (outcome) => notify(NEXT_EDIT_OUTCOME_NOTIFICATION, outcome),
      setKeys: (visible, takesTab) => contextKeys.showNextEdit(visible, takesTab),
    });
    this.nextEdits = nextEdits;
    this.middleware = createInlineCompletionMiddleware(
      {
        isWanted: (document) => {
          const { current } = settings;
          const isOn = !snooze.active && current.enabled && languageEnabled(current, document.languageId);
          return isOn && !nextEdits.holdsBack(document);
        },
        onAnswer: (...answer) => nextEdits.suggested(...answer),
        onNothing: explainNothing,
      },
      log,
    );
    const acceptance = new Acceptance();
    this.#disposables = Disposable.from(
      snooze,
      nextEdits,
      settings.onDidChange(() => nextEdits.refresh()),
      snooze.onDidChange(() => nextEdits.refresh()),
      acceptance,
      acceptance.onDidAccept((event) => {
        contextKeys.showAccepted();
        this.#lastAccepted = event;
        log.debug(`Accepted: ${JSON.stringify(event)}`);
        const { kind } = event;
        const told: AcceptanceEvent = kind === 'all' ? event : { kind: 'part', uri: event.uri, text: event.text };
        notify(ACCEPTANCE_NOTIFICATION, told);
      }),
    );
  }

  get lastAccepted(): AcceptEvent | null {
    return this.#lastAccepted;
  }

  /** Why suggestions do not come in this editor although they are on, in a sentence; null where they do. */
  describeWait({ document }: TextEditor): string | null {
    const unserved = describeUnservedScheme(document.uri.scheme);
    if (unserved !== null) return unserved;
    if (!workspace.getConfiguration(undefined, document).get<boolean>(GHOST_TEXT_SETTING, true)) {
      return t('VS Code shows no suggestions while its setting "editor.inlineSuggest.enabled" is off.');
    }
    if (hasSeveralCursors(document)) return t('Suggestions wait while there are several cursors.');
    const isHeldBack = this.nextEdits.isShown && this.nextEdits.holdsBack(document);
    return isHeldBack ? t('A next edit is shown instead. Press Escape to hide it, or keep typing.') : null;
  }

  showEdit(waits: boolean): void {
    this.#editWaits = waits;
    this.nextEdits.refresh();
  }

  /** For the server: the user's values, fewer while suggestions are snoozed or VS Code shows none. */
  writtenSettings(): WrittenSettings {
    const written = writtenSettings(this.#settings.configuration);
    if (this.snooze.active) return snoozedSettings(written);
    return mayShowGhostText(workspace) ? written : settingsWithoutGhostText(written);
  }

  /** Whether suggestions come by themselves, as far as the server knows. */
  get isAutomatic(): boolean {
    return parseSettings(this.writtenSettings()).settings.trigger === 'automatic';
  }

  onDidChangeSettings(listener: () => void): Disposable {
    return Disposable.from(
      this.#settings.onDidChange(listener),
      this.snooze.onDidChange(listener),
      ...onDidChangeGhostText(workspace, listener),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
