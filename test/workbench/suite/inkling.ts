import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { commands, extensions, Selection, type TextEditor, window, workspace } from 'vscode';
import type { InklingApi } from '../../../extension/src/api.js';
import type { EngineState } from '../../../server/protocol/index.js';

const POLL_MS = 50;
const MOST_OPENINGS = 20;

/** The activated extension, with enough time for a suggestion on a busy machine. */
export async function activateInkling(): Promise<InklingApi> {
  const extension = extensions.getExtension<InklingApi>('inkling.inkling');
  assert.ok(extension, 'the extension inkling.inkling is not installed');
  await workspace.getConfiguration('inkling').update('completion.timeBudget', 15_000, true);
  return await extension.activate();
}

/** Polls until `condition` holds; fails with `what` and the last status otherwise. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) assert.fail(`not within ${timeoutMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
}

export async function untilState(inkling: InklingApi, kind: EngineState['kind']): Promise<void> {
  await until(`the status is ${kind}`, () => inkling.status().state.kind === kind);
}

/** Opens an unsaved document in the focused editor. The cursor is where `║` is. */
export async function openDocument(language: string, marked: string): Promise<TextEditor> {
  const offset = marked.indexOf('║');
  assert.ok(offset >= 0, 'the text marks no cursor');
  const editor = await openUnsaved(language, marked.replace('║', ''));
  const cursor = editor.document.positionAt(offset);
  editor.selection = new Selection(cursor, cursor);
  return editor;
}

/**
 * Each of these documents is `Untitled-1`. On a busy machine VS Code still has its own backup of the one before, and fills
 * the next one with it.
 */
async function openUnsaved(language: string, content: string): Promise<TextEditor> {
  for (let left = MOST_OPENINGS; left > 0; left--) {
    const editor = await window.showTextDocument(await workspace.openTextDocument({ language, content }));
    if (editor.document.getText() === content) return editor;
    await closeDocument();
    await sleep(POLL_MS);
  }
  assert.fail(`VS Code opened ${MOST_OPENINGS} documents, each with another text`);
}

/** Types like a keyboard: through the editor, which then asks for suggestions itself. */
export async function type(text: string): Promise<void> {
  for (const character of text) await commands.executeCommand('type', { text: character });
}

/**
 * Asks for a suggestion and runs `accept` until the document changes: no stable API reports visible ghost text, and
 * accepting without it does nothing. Returns the text inserted before the cursor, or '' after `timeoutMs`, with a note of
 * what the editor shows. Asking again would not help: VS Code keeps even an empty answer until the document or the cursor
 * changes.
 */
export async function acceptSuggestion(editor: TextEditor, accept: string, timeoutMs = 40_000): Promise<string> {
  const { document } = editor;
  const start = document.offsetAt(editor.selection.active);
  const version = document.version;
  const deadline = Date.now() + timeoutMs;
  await commands.executeCommand('editor.action.inlineSuggest.trigger');
  while (document.version === version && Date.now() < deadline) {
    await sleep(POLL_MS);
    await commands.executeCommand(accept);
  }
  if (document.version === version) note(`no suggestion within ${timeoutMs} ms: ${describeEditor(editor)}`);
  return document.getText().slice(start, document.offsetAt(editor.selection.active));
}

/**
 * For driver/extension-host.ts, which shows it beside a failure: VS Code keeps an extension's output to itself. With the
 * time as VS Code's logs have it.
 */
function note(text: string): void {
  const output = process.env.MOCHA_JSON;
  const now = new Date();
  const time = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().replace('T', ' ').slice(0, -1);
  if (output === undefined) console.warn(text);
  else appendFileSync(`${output}.notes`, `${time} ${text}\n`);
}

function describeEditor(editor: TextEditor): string {
  const { document, selection } = editor;
  const line = document.lineAt(selection.active.line).text;
  return JSON.stringify({
    isActive: window.activeTextEditor === editor,
    isFocused: window.state.focused,
    activeTab: window.tabGroups.activeTabGroup.activeTab?.label,
    line: `${line.slice(0, selection.active.character)}║${line.slice(selection.active.character)}`,
    state: extensions.getExtension<InklingApi>('inkling.inkling')?.exports.status().state.kind,
  });
}

/** Closes the document without asking whether to save it. */
export async function closeDocument(): Promise<void> {
  await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
}

export const ACCEPT_ALL = 'editor.action.inlineSuggest.commit';
export const ACCEPT_WORD = 'inkling.acceptNextWord';

/** Documents that the starter model can continue. */
export const TYPESCRIPT_SAMPLE = `export interface Point {
  readonly x: number;
  readonly y: number;
}

export function add(left: Point, right: Point): Point {
  return { x: left.x + right.x, y: ║
}

export function subtract(left: Point, right: Point): Point {
  return { x: left.x - right.x, y: left.y - right.y };
}

export function multiply(left: Point, right: Point): Point {
  return { x: left.x * right.x, y: left.y * right.y };
}
`;
export const PYTHON_SAMPLE = `def area(width: float, height: float) -> float:
    """Area of a rectangle."""
    return ║


def volume(width: float, height: float, depth: float) -> float:
    """Volume of a box."""
    return width * height * depth
`;
