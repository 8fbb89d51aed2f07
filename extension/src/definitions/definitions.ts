import {
  commands,
  Disposable,
  type Hover,
  type Location,
  type LocationLink,
  Position,
  type Range,
  type TextDocument,
  type TextEditor,
  Uri,
  window,
  workspace,
} from 'vscode';
import { DEFINITIONS_NOTIFICATION, type DefinitionsParams } from '../../../server/protocol/index.js';
import type { Answer } from './definition-cache.js';
import { DefinitionFinder, type LiveDocument } from './definition-finder.js';
import { type PlacedName, signatureIn } from './names-around.js';

/** Language servers are asked after the user has done nothing for this long. */
const IDLE_AFTER_MS = 400;
/** For one answer. */
const LONGEST_ANSWER_MS = 5_000;
/** A language server that is still starting answers with nothing. It is asked again so often, so much later. */
const MOST_RETRIES = 4;
const RETRY_AFTER_MS = 3_000;

/**
 * Asks the editor's language servers, in idle time, where the names around the cursor are defined, and reports the places.
 * Typing and moving end a pass. Only in a trusted workspace: elsewhere the user decides when code is looked at.
 */
export function reportDefinitions(
  notify: (method: string, parameters: unknown) => void,
  isAllowed: () => boolean,
): Disposable {
  const finder = new DefinitionFinder({ definition: definitionOf, signature: signatureOf });
  let due: NodeJS.Timeout | null = null;
  let pass = new AbortController();
  /** One question at a time, also where a pass was ended: its last answer may still be on its way. */
  let passes: Promise<void> = Promise.resolve();

  const look = async (editor: TextEditor, signal: AbortSignal, retries: number): Promise<void> => {
    const { document, selection } = editor;
    if (signal.aborted || !workspace.isTrusted || !isAllowed() || document.uri.scheme !== 'file') return;
    const uri = document.uri.toString();
    const found = await finder.find(liveDocument(document), selection.active.line, signal);
    if (found === null) return;
    if (found.missing !== null && retries > 0) {
      const prepare = () => {
        if (found.missing === 'all') finder.cache.forgetEmpty(uri);
      };
      lookLater(editor, RETRY_AFTER_MS, retries - 1, prepare);
    }
    const parameters: DefinitionsParams = { uri, definitions: found.definitions };
    notify(DEFINITIONS_NOTIFICATION, parameters);
  };
  const lookLater = (editor: TextEditor, afterMs: number, retries: number, prepare: () => void): void => {
    const { signal } = pass;
    due = setTimeout(() => {
      prepare();
      // A provider that fails is not ours to report; there is nothing to show.
      passes = passes.then(() => look(editor, signal, retries)).catch(() => undefined);
    }, afterMs);
  };
  const lookOnceIdle = (editor: TextEditor | undefined): void => {
    if (due !== null) clearTimeout(due);
    pass.abort();
    pass = new AbortController();
    if (editor !== undefined) lookLater(editor, IDLE_AFTER_MS, MOST_RETRIES, () => undefined);
  };
  const files = workspace.createFileSystemWatcher('**/*', true);
  const forgetDefinedIn = (uri: Uri): void => finder.cache.forgetDefinedIn(uri.toString());
  lookOnceIdle(window.activeTextEditor);
  return Disposable.from(
    files,
    files.onDidChange(forgetDefinedIn),
    files.onDidDelete(forgetDefinedIn),
    window.onDidChangeActiveTextEditor(lookOnceIdle),
    window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === window.activeTextEditor) lookOnceIdle(textEditor);
    }),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const { uri, lineAt } = liveDocument(document);
      finder.cache.change(uri, contentChanges, lineAt);
      if (document === window.activeTextEditor?.document) lookOnceIdle(window.activeTextEditor);
    }),
    workspace.onDidCloseTextDocument(({ uri }) => finder.close(uri.toString())),
    { dispose: () => lookOnceIdle(undefined) },
  );
}

function liveDocument(document: TextDocument): LiveDocument {
  return {
    uri: document.uri.toString(),
    version: () => document.version,
    lineAt: (line) => (line < document.lineCount ? document.lineAt(line).text : null),
  };
}

/** Null for a name that the document defines: prompts show that anyway. */
async function definitionOf(uri: string, { name, line, character }: PlacedName): Promise<Answer | 'late'> {
  const command = 'vscode.executeDefinitionProvider';
  const found = await answerOf<readonly (Location | LocationLink)[]>(command, uri, new Position(line, character));
  if (found === 'late') return found;
  const places = (found ?? []).map(placeOf).filter((each) => each.uri.scheme === 'file');
  const [place] = places;
  if (place === undefined || places.some((each) => each.uri.toString() === uri)) return null;
  const { start, end } = place.range;
  return { name, uri: place.uri.toString(), startLine: start.line, endLine: end.line, signature: null };
}

async function signatureOf(uri: string, { line, character }: PlacedName): Promise<string | null | 'late'> {
  const hovers = await answerOf<readonly Hover[]>('vscode.executeHoverProvider', uri, new Position(line, character));
  if (hovers === 'late') return hovers;
  const texts = (hovers ?? []).flatMap(({ contents }) => contents);
  const signatures = texts.map((text) => signatureIn(typeof text === 'string' ? text : text.value));
  return signatures.find((signature) => signature !== null) ?? null;
}

/** `late` where the language server needs too long; its answer is then nobody's. */
function answerOf<T>(command: string, uri: string, at: Position): Promise<T | undefined | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('late'), LONGEST_ANSWER_MS);
    const answer = commands.executeCommand<T | undefined>(command, Uri.parse(uri), at);
    answer.then(resolve, reject).then(() => clearTimeout(timer));
  });
}

function placeOf(found: Location | LocationLink): { readonly uri: Uri; readonly range: Range } {
  return 'targetUri' in found ? { uri: found.targetUri, range: found.targetRange } : found;
}
