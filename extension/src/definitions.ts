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
  type Uri,
  window,
  workspace,
} from 'vscode';
import { DEFINITIONS_NOTIFICATION, type DefinitionsParams, type NamedDefinition } from '../../server/protocol/index.js';
import { namesAround, type PlacedName, signatureIn } from './names-around.js';

/** Language servers are asked after the user has done nothing for this long. */
const IDLE_AFTER_MS = 400;
/** For one answer, and for all of them. Nobody waits, but a language server that is still loading is not asked on and on. */
const LONGEST_ANSWER_MS = 5_000;
const LONGEST_PASS_MS = 10_000;
/** A language server that is still starting answers with nothing. It is asked again so often, so much later. */
const MOST_RETRIES = 4;
const RETRY_AFTER_MS = 3_000;
const MOST_HOVERS = 8;
const MOST_DOCUMENTS = 32;

/** Definitions of one version of a document, by name; null for a name that the document defines itself. */
interface Known {
  readonly version: number;
  readonly definitions: Map<string, NamedDefinition | null>;
}

/**
 * Asks the editor's language servers, in idle time, where the names around the cursor are defined, and reports the places.
 * Typing and moving end a pass. Only in a trusted workspace: elsewhere the user decides when code is looked at.
 */
export function reportDefinitions(
  notify: (method: string, parameters: unknown) => void,
  isAllowed: () => boolean,
): Disposable {
  const known = new Map<string, Known>();
  let due: NodeJS.Timeout | undefined;
  let pass = new AbortController();
  /** One question at a time, also where a pass was ended: its last answer may still be on its way. */
  let passes: Promise<void> = Promise.resolve();

  const look = async (editor: TextEditor, signal: AbortSignal, retries: number): Promise<void> => {
    const { document, selection } = editor;
    if (signal.aborted || !workspace.isTrusted || !isAllowed() || document.uri.scheme !== 'file') return;
    const lineAt = (line: number) => (line < document.lineCount ? document.lineAt(line).text : null);
    const names = namesAround(lineAt, selection.active.line);
    const answers = knownOf(known, document);
    const definitions = await definitionsOf(document, names, answers, signal);
    if (signal.aborted) return;
    if (answers.size === 0 && names.length > 0 && retries > 0) lookLater(editor, RETRY_AFTER_MS, retries - 1);
    const parameters: DefinitionsParams = { uri: document.uri.toString(), definitions };
    notify(DEFINITIONS_NOTIFICATION, parameters);
  };
  const lookLater = (editor: TextEditor, afterMs: number, retries: number): void => {
    const { signal } = pass;
    due = setTimeout(() => {
      // A provider that fails is not ours to report; there is nothing to show.
      passes = passes.then(() => look(editor, signal, retries)).catch(() => undefined);
    }, afterMs);
  };
  const lookOnceIdle = (editor: TextEditor | undefined): void => {
    clearTimeout(due);
    pass.abort();
    pass = new AbortController();
    if (editor === undefined) return;
    lookLater(editor, IDLE_AFTER_MS, MOST_RETRIES);
  };
  lookOnceIdle(window.activeTextEditor);
  return Disposable.from(
    window.onDidChangeActiveTextEditor(lookOnceIdle),
    window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === window.activeTextEditor) lookOnceIdle(textEditor);
    }),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (document === window.activeTextEditor?.document) lookOnceIdle(window.activeTextEditor);
    }),
    workspace.onDidCloseTextDocument(({ uri }) => known.delete(uri.toString())),
    { dispose: () => lookOnceIdle(undefined) },
  );
}

/** What is known of this version of a document; nothing of an older one. */
function knownOf(known: Map<string, Known>, { uri, version }: TextDocument): Map<string, NamedDefinition | null> {
  const key = uri.toString();
  const present = known.get(key);
  if (present?.version === version) return present.definitions;
  const definitions = new Map<string, NamedDefinition | null>();
  known.delete(key);
  known.set(key, { version, definitions });
  const [oldest] = known.keys();
  if (known.size > MOST_DOCUMENTS && oldest !== undefined) known.delete(oldest);
  return definitions;
}

async function definitionsOf(
  document: TextDocument,
  names: readonly PlacedName[],
  known: Map<string, NamedDefinition | null>,
  signal: AbortSignal,
): Promise<readonly NamedDefinition[]> {
  const endsAt = performance.now() + LONGEST_PASS_MS;
  let hovers = 0;
  for (const place of names) {
    if (known.has(place.name)) continue;
    if (signal.aborted || performance.now() >= endsAt) break;
    const found = await definitionOf(document, place);
    if (found === 'late') break;
    // The answer may be one of the text before the last key.
    if (signal.aborted) break;
    if (found === 'none') continue;
    const hovered = found !== null && hovers < MOST_HOVERS ? await hoverAt(document, place) : null;
    if (signal.aborted) break;
    if (found !== null) hovers += 1;
    known.set(place.name, found && { ...found, signature: hovered === 'late' ? null : hovered });
  }
  return names.flatMap(({ name }) => known.get(name) ?? []);
}

/** Null for a name that is defined in the same document; `none` where nothing is known, which may change. */
async function definitionOf(
  { uri }: TextDocument,
  { name, line, character }: PlacedName,
): Promise<NamedDefinition | null | 'none' | 'late'> {
  const at = new Position(line, character);
  const found = await answerOf<readonly (Location | LocationLink)[]>('vscode.executeDefinitionProvider', uri, at);
  if (found === 'late') return found;
  const places = (found ?? []).map(placeOf).filter((place) => place.uri.scheme === 'file');
  const [place] = places;
  if (place === undefined) return 'none';
  if (places.some((each) => each.uri.toString() === uri.toString())) return null;
  const { start, end } = place.range;
  return { name, uri: place.uri.toString(), startLine: start.line, endLine: end.line, signature: null };
}

async function hoverAt({ uri }: TextDocument, { line, character }: PlacedName): Promise<string | null | 'late'> {
  const at = new Position(line, character);
  const hovers = await answerOf<readonly Hover[]>('vscode.executeHoverProvider', uri, at);
  if (hovers === 'late') return hovers;
  const texts = (hovers ?? []).flatMap(({ contents }) => contents);
  const signatures = texts.map((text) => signatureIn(typeof text === 'string' ? text : text.value));
  return signatures.find((signature) => signature !== null) ?? null;
}

/** `late` where the language server needs too long; its answer is then nobody's. */
async function answerOf<T>(command: string, uri: Uri, at: Position): Promise<T | undefined | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), LONGEST_ANSWER_MS);
  });
  try {
    return await Promise.race([commands.executeCommand<T | undefined>(command, uri, at), late]);
  } finally {
    clearTimeout(timer);
  }
}

function placeOf(found: Location | LocationLink): { readonly uri: Uri; readonly range: Range } {
  return 'targetUri' in found ? { uri: found.targetUri, range: found.targetRange } : found;
}
