import {
  commands,
  Disposable,
  env,
  languages,
  type Position,
  Range,
  TabInputTextDiff,
  type TextDocument,
  type TextEditorEdit,
  Uri,
  window,
  workspace,
} from 'vscode';
import { t } from '../../../../server/protocol/index.js';
import { editText } from '../../editor/edit-text.js';
import { workspacePath } from '../../editor/notebook-cell.js';
import { showDocument } from '../../editor/show-document.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from '../../manifest/command-ids.js';
import { notify } from '../../texts/notify.js';
import { hunkEdit } from '../code/hunk-edit.js';
import { likelyPlaces } from '../code/likely-places.js';
import { lineHunks } from '../code/line-hunks.js';
import { type ChangeTarget, proposeChange, replacePart } from '../code/proposed-change.js';
import type { Attachment } from '../conversation/conversation.js';
import type { CodeAction } from '../webview/messages.js';

/** Scheme of documents with a proposed change; package.json shows the two buttons for it. */
const PROPOSAL_SCHEME = 'inkling-proposal';

/** The place of code is looked for in what was shown last. */
const MOST_PLACES = 8;

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

  /**
   * @param shown what the question and those before it showed; the code may belong to any of it
   * @returns a message for the user if there is no place for the code
   */
  async run(action: CodeAction, code: string, language: string, shown: readonly Attachment[]): Promise<string | null> {
    switch (action) {
      case 'copy':
        await env.clipboard.writeText(code);
        return null;
      case 'insert':
        return insertAtCursor(code);
      case 'newFile':
        return openAsNewFile(code, language);
      case 'apply':
        return this.#propose(code, language, shown);
    }
  }

  /** Proposes the change for the first document in which the code has a place, and asks the user if it has none. */
  async #propose(code: string, language: string, shown: readonly Attachment[]): Promise<string | null> {
    const places = likelyPlaces(shown, MOST_PLACES);
    let unplaced: { readonly document: TextDocument; readonly place: Attachment | null } | null = null;
    for (const place of places.length === 0 ? [null] : places) {
      const document = await documentOf(place);
      if (document === null) continue;
      const change = proposeChange(code, targetIn(document, place));
      if (change !== null) return this.#show(document, change);
      // The question's own file is the one that the user thinks of.
      unplaced ??= { document, place };
    }
    if (unplaced === null) return t('Open the target file first.');
    const { document, place } = unplaced;
    const replaced = () => replacePart(code, targetIn(document, place));
    const name = workspacePath(document.uri);
    const [overSelection, newFile] = [t('Replace Selection'), t('Open as New File')];
    const answer =
      replaced() === null
        ? await notify('information', `Inkling: ${noPlace(name)}`, newFile)
        : await notify(
            'information',
            `Inkling: ${t('Inkling cannot tell where the code belongs in {0}.', name)}`,
            overSelection,
            newFile,
          );
    if (answer === newFile) return openAsNewFile(code, language);
    if (answer === null) return null;
    const change = replaced();
    return change === null ? noPlace(name) : this.#show(document, change);
  }

  async #show(document: TextDocument, change: string): Promise<null> {
    const proposal = Uri.from({
      scheme: PROPOSAL_SCHEME,
      path: document.uri.path,
      query: String(this.#nextProposal++),
    });
    this.#proposals.set(proposal.toString(), { target: document.uri, version: document.version, text: change });
    await compare(document.uri, proposal);
    return null;
  }

  /** Closes the proposal of the active diff editor. */
  async #close(apply: boolean): Promise<void> {
    const tab = window.tabGroups.activeTabGroup.activeTab;
    const modified = tab?.input instanceof TabInputTextDiff ? tab.input.modified : undefined;
    const proposal = modified && this.#proposals.get(modified.toString());
    if (tab === undefined || modified === undefined || proposal === undefined) {
      void notify('information', `Inkling: ${t('No proposed change is open.')}`);
      return;
    }
    if (apply) {
      const name = workspacePath(proposal.target);
      const document = await openDocument(proposal.target);
      if (document === null) {
        void notify('warning', `Inkling: ${t('{0} cannot be read as text.', name)}`);
        return;
      }
      const hasChanged = (): boolean => {
        if (document.version === proposal.version) return false;
        void notify('warning', `Inkling: ${t('{0} has changed. Apply the code block again.', name)}`);
        return true;
      };
      if (hasChanged()) return;
      const lines = document.getText().split(/\r?\n/);
      const replaceLines = (edit: TextEditorEdit) => {
        for (const hunk of lineHunks(lines, proposal.text.split('\n'))) {
          const { start, end, text } = hunkEdit(hunk, lines);
          edit.replace(new Range(start.line, start.character, end.line, end.character), text);
        }
      };
      // A workspace edit would change a file that the user has made read-only. No preview: that would replace the
      // comparison, which stays where nothing was edited, or the change would be lost.
      const editor = await showDocument(document, null);
      // The user, or another extension, may have edited it until it was shown.
      if (hasChanged()) {
        await compare(proposal.target, modified);
        return;
      }
      if (editor === null || !(await editText(editor, replaceLines))) {
        await compare(proposal.target, modified);
        void notify('warning', `Inkling: ${t('{0} cannot be edited. The proposed change stays open.', name)}`);
        return;
      }
    }
    await window.tabGroups.close(tab);
    const target = apply ? null : await openDocument(proposal.target);
    if (target !== null) await showDocument(target, null);
  }
}

async function compare(target: Uri, proposal: Uri): Promise<void> {
  const title = t('{0}: proposed change', workspacePath(target));
  await commands.executeCommand(EDITOR_COMMANDS.diff, target, proposal, title, { preview: true });
}

async function insertAtCursor(code: string): Promise<string | null> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return t('No file is open.');
  const replaceSelections = (edit: TextEditorEdit) => {
    for (const selection of editor.selections) edit.replace(selection, code.replace(/\n$/, ''));
  };
  if (!(await editText(editor, replaceSelections)))
    return t('{0} cannot be edited.', workspacePath(editor.document.uri));
  await showDocument(editor.document, null);
  return null;
}

async function openAsNewFile(code: string, language: string): Promise<null> {
  const content = code.endsWith('\n') ? code : `${code}\n`;
  const known = await knownLanguage(language);
  await window.showTextDocument(
    await workspace.openTextDocument(known === null ? { content } : { language: known, content }),
  );
  return null;
}

function noPlace(name: string): string {
  return t(
    'Inkling cannot tell where the code belongs in {0}. Select the lines that it replaces, then apply it again.',
    name,
  );
}

function targetIn(document: TextDocument, shown: Attachment | null): ChangeTarget {
  const text = document.getText().replaceAll('\r\n', '\n');
  const editor = window.visibleTextEditors.find((each) => each.document === document);
  const offset = ({ line, character }: Position) => offsetIn(text, line, character);
  return {
    text,
    shown: shown?.kind === 'selection' ? shown.text : null,
    wholeFile: shown?.kind === 'file',
    selectionStart: editor === undefined ? 0 : offset(editor.selection.start),
    selectionEnd: editor === undefined ? 0 : offset(editor.selection.end),
  };
}

/** @param shown null for the active document */
async function documentOf(shown: Attachment | null): Promise<TextDocument | null> {
  if (shown?.uri === undefined || shown.uri === null) return window.activeTextEditor?.document ?? null;
  return openDocument(shown.uri);
}

async function openDocument(address: Uri | string): Promise<TextDocument | null> {
  try {
    return await workspace.openTextDocument(typeof address === 'string' ? Uri.parse(address, true) : address);
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
