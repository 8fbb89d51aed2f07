import { commands, type LogOutputChannel, type Memento, Selection, window, workspace } from 'vscode';
import { EDITOR_COMMANDS } from './manifest/command-ids.js';

const WELCOMED_KEY = 'inkling.welcomed';
const WALKTHROUGH_SETTING = 'workbench.welcomePage.walkthroughs.openOnInstall';

/** TypeScript, which the starter model knows, up to a place with an obvious continuation. */
const EXAMPLE = `export interface Item {
  readonly name: string;
  readonly price: number;
  count: number;
}

export class Cart {
  readonly #items: Item[] = [];

  add(item: Item): void {
    this.#items.push(item);
  }

  find(name: string): Item | undefined {
    `;

/** Opens the walkthrough the first time that Inkling runs here, unless VS Code's settings forbid it. */
export async function welcomeOnce(state: Memento, extensionId: string, log: LogOutputChannel): Promise<void> {
  if (state.get(WELCOMED_KEY) === true) return;
  log.info('Inkling runs here for the first time.');
  await state.update(WELCOMED_KEY, true);
  if (workspace.getConfiguration().get(WALKTHROUGH_SETTING) !== false) await openWalkthrough(extensionId);
}

export async function openWalkthrough(extensionId: string): Promise<void> {
  await commands.executeCommand(EDITOR_COMMANDS.openWalkthrough, `${extensionId}#start`, false);
}

/** Opens a document in which a first suggestion appears. */
export async function openExample(): Promise<void> {
  const document = await workspace.openTextDocument({ language: 'typescript', content: `${EXAMPLE}\n  }\n}\n` });
  const editor = await window.showTextDocument(document, { preview: false });
  const cursor = document.positionAt(EXAMPLE.length);
  editor.selection = new Selection(cursor, cursor);
  await commands.executeCommand(EDITOR_COMMANDS.triggerSuggestion);
}
