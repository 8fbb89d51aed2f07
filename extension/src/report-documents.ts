import {
  commands,
  Disposable,
  EventEmitter,
  extensions,
  type TextDocumentContentProvider,
  Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import { t } from '../../server/protocol/index.js';
import { EDITOR_COMMANDS } from './command-ids.js';

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

  register(): Disposable {
    return Disposable.from(workspace.registerTextDocumentContentProvider(REPORT_SCHEME, this), this.#changed);
  }

  /** A tab that was restored from an earlier window has no report. */
  provideTextDocumentContent({ path }: Uri): string {
    return this.#reports.get(path) ?? `# Inkling\n\n${t('This report is gone. Run the command again.')}\n`;
  }

  /** @param title the tab's name, without names from others */
  async show(title: string, markdown: string): Promise<void> {
    const uri = Uri.from({ scheme: REPORT_SCHEME, path: `/${title}.md` });
    this.#reports.set(uri.path, markdown);
    this.#changed.fire(uri);
    if (extensions.getExtension(MARKDOWN_EXTENSION) === undefined) {
      await window.showTextDocument(await workspace.openTextDocument(uri), PLACE);
    } else {
      await commands.executeCommand(EDITOR_COMMANDS.openWith, uri, MARKDOWN_PREVIEW, PLACE);
    }
  }
}
