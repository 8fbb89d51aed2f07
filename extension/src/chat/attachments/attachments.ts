import { randomUUID } from 'node:crypto';
import {
  commands,
  type Diagnostic,
  DiagnosticSeverity,
  env,
  languages,
  Range,
  type TextDocument,
  type TextEditor,
  Uri,
  window,
  workspace,
} from 'vscode';
import { t } from '../../../../server/protocol/index.js';
import { workspacePath } from '../../editor/notebook-cell.js';
import { confirm, notify } from '../../texts/notify.js';
import type { Attachment } from '../conversation/conversation.js';
import type { AttachRequest } from '../webview/messages.js';

/** More is attached by mistake; the context holds far less. Bytes of a file, characters of a document. */
const LARGEST = 1024 * 1024;
const MOST_DIAGNOSTICS = 50;
/** More are selected or dropped by mistake; the context holds far less. */
const MOST_FILES = 20;

/** Whether a file's text may be shown although the user has not named the file. */
export type MayShow = (uri: string, text: string) => Promise<boolean>;

/** @returns a message for the user if there is nothing to attach */
export async function attach(what: AttachRequest): Promise<Attachment | string> {
  switch (what.kind) {
    case 'selection':
      return selection(window.activeTextEditor);
    case 'currentFile':
      return window.activeTextEditor === undefined
        ? t('No file is open.')
        : attachFile(window.activeTextEditor.document.uri);
    case 'diagnostics':
      return diagnostics(window.activeTextEditor);
    case 'terminal':
      return terminalSelection();
    case 'file':
      return attachAddress(what.uri);
  }
}

/** What of this can be attached. Shows why the rest cannot, in one notification. */
export async function attachable(whats: readonly AttachRequest[]): Promise<readonly Attachment[]> {
  const found = await Promise.all(whats.map(attach));
  const obstacles = found.filter((each) => typeof each === 'string');
  if (obstacles.length > 0) void notify('information', `Inkling: ${obstacles.join(' ')}`);
  return found.filter((each) => typeof each !== 'string');
}

/** The first of several files, as many as can be meant. Says so of the others. */
export async function attachableFiles(addresses: readonly string[]): Promise<readonly Attachment[]> {
  const most = t('Inkling attaches at most {0} files at once.', MOST_FILES);
  if (addresses.length > MOST_FILES) void notify('information', most);
  return attachable(addresses.slice(0, MOST_FILES).map((uri) => ({ kind: 'file', uri })));
}

/**
 * Reads whole files again: the user may have typed since they were attached. What the user did not attach is left out
 * where it may no longer be shown, as a secret may have been written since.
 */
export async function refreshAttachments(
  attachments: readonly Attachment[],
  mayShow: MayShow,
): Promise<readonly Attachment[]> {
  const refreshed = await Promise.all(
    attachments.map(async (attachment): Promise<readonly Attachment[]> => {
      const { kind, uri, id, isAutomatic = false } = attachment;
      if (uri === null) return [attachment];
      const read = kind === 'file' ? await attachAddress(uri) : attachment;
      const fresh = typeof read === 'string' ? attachment : { ...read, id, isAutomatic };
      return isAutomatic && !(await mayShow(uri, fresh.text)) ? [] : [fresh];
    }),
  );
  return refreshed.flat();
}

/** The panel's page may send any text as an address, and a stored conversation may have any. */
async function attachAddress(address: string): Promise<Attachment | string> {
  try {
    return await attachFile(localUri(Uri.parse(address, true)));
  } catch {
    return t('{0} cannot be read as text.', address);
  }
}

/** Converts an address from a drop to this extension host: a file on a remote machine is a local file here. */
function localUri(uri: Uri): Uri {
  return uri.scheme === 'vscode-remote' ? uri.with({ scheme: 'file', authority: '' }) : uri;
}

async function attachFile(uri: Uri): Promise<Attachment | string> {
  const path = workspacePath(uri);
  try {
    const open = workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    if (open === undefined && (await workspace.fs.stat(uri)).size > LARGEST) return t('{0} is too large.', path);
    const document = open ?? (await workspace.openTextDocument(uri));
    // Known without its text.
    const length = document.offsetAt(document.lineAt(document.lineCount - 1).range.end);
    if (length > LARGEST) return t('{0} is too large.', path);
    const text = document.getText();
    return text.trim() === '' ? t('{0} is empty.', path) : describe(document, 'file', path, text);
  } catch {
    return t('{0} cannot be read as text.', path);
  }
}

function selection(editor: TextEditor | undefined): Attachment | string {
  if (editor === undefined || editor.selection.isEmpty) return t('Nothing is selected in the editor.');
  const { document } = editor;
  const { start, end } = editor.selection;
  // Takes whole lines, unless the selection is a part of one line.
  const range = start.line === end.line ? editor.selection : new Range(start.with({ character: 0 }), end);
  // A selection that ends at the start of a line contains nothing of it.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const lines = start.line + 1 === last ? `${last}` : `${start.line + 1}-${last}`;
  const label = `${workspacePath(document.uri)}:${lines}`;
  if (document.offsetAt(range.end) - document.offsetAt(range.start) > LARGEST) return t('{0} is too large.', label);
  return describe(document, 'selection', label, document.getText(range));
}

/** The editor's diagnostics in the selection, or in the whole file without one. */
export function diagnostics(editor: TextEditor | undefined): Attachment | string {
  if (editor === undefined) return t('No file is open.');
  const { document, selection: selected } = editor;
  const all = languages.getDiagnostics(document.uri);
  const within = selected.isEmpty ? all : all.filter(({ range }) => range.intersection(selected) !== undefined);
  const path = workspacePath(document.uri);
  if (within.length === 0) return t('The editor reports no problems in {0}.', path);
  const text = within.slice(0, MOST_DIAGNOSTICS).map(describeDiagnostic).join('\n');
  return { ...describe(document, 'diagnostics', path, text), languageId: 'plaintext' };
}

function describeDiagnostic({ range, severity, message, source }: Diagnostic): string {
  const where = `${range.start.line + 1}:${range.start.character + 1}`;
  return `${where} ${DiagnosticSeverity[severity].toLowerCase()}: ${message}${source === undefined ? '' : ` (${source})`}`;
}

/**
 * VS Code gives a terminal's selection only to its own command, so this copies it through the clipboard and restores
 * that. Extensions can restore text only: the user decides about a clipboard that has none.
 */
async function terminalSelection(): Promise<Attachment | string> {
  const before = await env.clipboard.readText();
  const question = t(
    'Inkling copies the selection through the clipboard, which contains no text now. An image in it would be lost.',
  );
  if (before === '' && !(await confirm('warning', question, t('Replace Clipboard')))) return t('Nothing was attached.');
  let text: string;
  try {
    await env.clipboard.writeText('');
    await commands.executeCommand('workbench.action.terminal.copySelection');
    text = await env.clipboard.readText();
  } finally {
    await env.clipboard.writeText(before);
  }
  if (text.trim() === '') return t('Nothing is selected in the terminal.');
  const label = window.activeTerminal?.name ?? t('Terminal');
  return { id: randomUUID(), kind: 'terminal', label, uri: null, languageId: 'plaintext', text };
}

function describe(document: TextDocument, kind: Attachment['kind'], label: string, text: string): Attachment {
  const { uri, languageId } = document;
  return { id: randomUUID(), kind, label, uri: uri.toString(), languageId, text: text.replaceAll('\r\n', '\n') };
}
