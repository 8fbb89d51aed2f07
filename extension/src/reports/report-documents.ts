import {
  commands,
  Disposable,
  EventEmitter,
  extensions,
  type Tab,
  TabInputCustom,
  TabInputText,
  type TextDocumentContentProvider,
  Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import { EDITOR_COMMANDS } from '../manifest/command-ids.js';

/** Scheme of the reports: read-only documents that nobody saves. */
const REPORT_SCHEME = 'inkling-report';

/** VS Code's own extension for Markdown, which a user may disable, and its preview. */
const MARKDOWN_EXTENSION = 'vscode.markdown-language-features';
const MARKDOWN_PREVIEW = 'vscode.markdown.preview.editor';

/** Beside the user's editor, which keeps the focus. */
const PLACE = { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true };

/** Reports in Markdown, shown as VS Code previews them. A report that is made again replaces the one in its tab. */
export class ReportDocuments implements TextDocumentContentProvider {
  readonly #changed = new EventEmitter<Uri>();
  readonly onDidChange = this.#changed.event;
  /** By the document's path. */
  readonly #reports = new Map<string, string>();
  /** The documents that were opened last, by their paths. */
  readonly #opened = new Map<string, Uri>();

  register(): Disposable {
    closeRestoredTabs();
    return Disposable.from(workspace.registerTextDocumentContentProvider(REPORT_SCHEME, this), this.#changed);
  }

  provideTextDocumentContent({ path }: Uri): string {
    return this.#reports.get(path) ?? '';
  }

  /** @param title the tab's name, without names from others */
  async show(title: string, markdown: string): Promise<void> {
    const uri = this.#documentFor(`/${title}.md`);
    this.#reports.set(uri.path, markdown);
    this.#changed.fire(uri);
    if (extensions.getExtension(MARKDOWN_EXTENSION) === undefined) {
      await window.showTextDocument(await workspace.openTextDocument(uri), PLACE);
    } else {
      await commands.executeCommand(EDITOR_COMMANDS.openWith, uri, MARKDOWN_PREVIEW, PLACE);
    }
  }

  /**
   * The one in the report's tab, or else a new one. VS Code opens no document again whose tab it has restored after a
   * reload and Inkling has closed since, and shows the old text of one that the user has reverted.
   */
  #documentFor(path: string): Uri {
    const last = this.#opened.get(path);
    const isShown = allTabs().some((tab) => uriOf(tab)?.toString() === last?.toString());
    const uri =
      last !== undefined && isShown ? last : Uri.from({ scheme: REPORT_SCHEME, path, query: Date.now().toString(36) });
    this.#opened.set(path, uri);
    return uri;
  }
}

/** Closes the tabs that VS Code restored from an earlier window, since their reports are gone. */
function closeRestoredTabs(): void {
  const restored = allTabs().filter((tab) => uriOf(tab)?.scheme === REPORT_SCHEME);
  if (restored.length > 0) void window.tabGroups.close(restored);
}

function allTabs(): readonly Tab[] {
  return window.tabGroups.all.flatMap(({ tabs }) => tabs);
}

function uriOf({ input }: Tab): Uri | null {
  return input instanceof TabInputCustom || input instanceof TabInputText ? input.uri : null;
}
