import {
  commands,
  Disposable,
  env,
  languages,
  Range,
  TabInputTextDiff,
  type TextDocument,
  type TextEditorEdit,
  Uri,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from '../command-ids.js';
import { notify } from '../notify.js';
import type { Attachment, Turn } from './conversation.js';
import { proposeChange } from './proposed-change.js';
import type { CodeAction } from './webview/messages.js';

/** Scheme of documents with a proposed change; package.json shows the two buttons for it. */
const PROPOSAL_SCHEME = 'inkling-proposal';

interface Proposal {
  readonly target: Uri;
  /** Version of the document that the proposal is for. */
  readonly version: number;
  readonly text: string;
}

/** The user's actions on a code block of an answer. */
export class CodeBlocks {
  /** The document and its proposed text, by the proposal's address. */
  readonly #proposals = new Map<string, Proposal>();
  #nextProposal = 1;

  /** Registers the commands and documents of proposed changes. */
  register(): Disposable {
    return Disposable.from(
      workspace.registerTextDocumentContentProvider(PROPOSAL_SCHEME, {
        provideTextDocumentContent: (uri) => this.#proposals.get(uri.toString())?.text ?? '',
      }),
      workspace.onDidCloseTextDocument(({ uri }) => void this.#proposals.delete(uri.toString())),
      commands.registerCommand(INKLING_COMMANDS.applyProposal, () => this.#close(true)),
      commands.registerCommand(INKLING_COMMANDS.discardProposal, () => this.#close(false)),
    );
  }

  /** @returns a message for the user if there is no place for the code */
  async run(action: CodeAction, code: string, language: string, turn: Turn): Promise<string | null> {
    switch (action) {
      case 'copy':
        await env.clipboard.writeText(code);
        return null;
      case 'insert':
        return insertAtCursor(code);
      case 'newFile': {
        const content = code.endsWith('\n') ? code : `${code}\n`;
        const known = await knownLanguage(language);
        await window.showTextDocument(
          await workspace.openTextDocument(known === null ? { content } : { language: known, content }),
        );
        return null;
      }
      case 'apply':
        return this.#propose(code, turn);
    }
  }

  async #propose(code: string, { question }: Turn): Promise<string | null> {
    const shown = question.attachments.find(
      ({ kind, uri }) => (kind === 'selection' || kind === 'file') && uri !== null,
    );
    const document = await documentOf(shown);
    if (document === null) return t('Open the target file first.');
    const text = document.getText().replaceAll('\r\n', '\n');
    const selected = window.activeTextEditor?.document === document ? window.activeTextEditor.selection : null;
    const offset = (position: { line: number; character: number } | undefined) =>
      position === undefined ? 0 : offsetIn(text, position.line, position.character);
    const change = proposeChange(code, {
      text,
      shown: shown?.kind === 'selection' ? shown.text : null,
      wholeFile: shown?.kind === 'file',
      selectionStart: offset(selected?.start),
      selectionEnd: offset(selected?.end),
    });
    const proposal = Uri.from({
      scheme: PROPOSAL_SCHEME,
      path: document.uri.path,
      query: String(this.#nextProposal++),
    });
    this.#proposals.set(proposal.toString(), { target: document.uri, version: document.version, text: change });
    const name = workspace.asRelativePath(document.uri);
    await commands.executeCommand(EDITOR_COMMANDS.diff, document.uri, proposal, t('{0}: proposed change', name), {
      preview: true,
    });
    return null;
  }

  /** Closes the proposal of the active diff editor. */
  async #close(apply: boolean): Promise<void> {
    const tab = window.tabGroups.activeTabGroup.activeTab;
    const modified = tab?.input instanceof TabInputTextDiff ? tab.input.modified : undefined;
    const proposal = modified && this.#proposals.get(modified.toString());
    if (tab === undefined || proposal === undefined) {
      void notify('information', `Inkling: ${t('No proposed change is open.')}`);
      return;
    }
    if (apply) {
      const document = await workspace.openTextDocument(proposal.target);
      if (document.version !== proposal.version) {
        const name = workspace.asRelativePath(proposal.target);
        void notify('warning', `Inkling: ${t('{0} has changed. Apply the code block again.', name)}`);
        return;
      }
      const edit = new WorkspaceEdit();
      const all = new Range(document.positionAt(0), document.positionAt(document.getText().length));
      edit.replace(proposal.target, all, proposal.text);
      await workspace.applyEdit(edit);
    }
    await window.tabGroups.close(tab);
    await window.showTextDocument(proposal.target);
  }
}

async function insertAtCursor(code: string): Promise<string | null> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return t('No file is open.');
  const replaceSelections = (edit: TextEditorEdit) => {
    for (const selection of editor.selections) edit.replace(selection, code.replace(/\n$/, ''));
  };
  // Returns false for a read-only document, and rejects for an editor that was closed meanwhile.
  const inserted = await editor.edit(replaceSelections).then(undefined, () => false);
  if (!inserted) return t('{0} cannot be edited.', workspace.asRelativePath(editor.document.uri));
  await window.showTextDocument(editor.document, editor.viewColumn);
  return null;
}

async function documentOf(shown: Attachment | undefined): Promise<TextDocument | null> {
  if (shown?.uri === undefined || shown.uri === null) return window.activeTextEditor?.document ?? null;
  try {
    return await workspace.openTextDocument(Uri.parse(shown.uri, true));
  } catch {
    return null;
  }
}

/** Models use their own names of languages; VS Code rejects a name that it does not know. */
async function knownLanguage(name: string): Promise<string | null> {
  const aliases: Readonly<Record<string, string>> = {
    ts: 'typescript',
    tsx: 'typescriptreact',
    js: 'javascript',
    jsx: 'javascriptreact',
    py: 'python',
    sh: 'shellscript',
    bash: 'shellscript',
    shell: 'shellscript',
    'c++': 'cpp',
    'c#': 'csharp',
    yml: 'yaml',
    rs: 'rust',
    rb: 'ruby',
    md: 'markdown',
  };
  const known = await languages.getLanguages();
  const id = aliases[name.toLowerCase()] ?? name.toLowerCase();
  return known.includes(id) ? id : null;
}

function offsetIn(text: string, line: number, character: number): number {
  let at = 0;
  for (let passed = 0; passed < line; passed++) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return Math.min(text.length, at + character);
}
