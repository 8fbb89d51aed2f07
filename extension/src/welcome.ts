import { commands, type LogOutputChannel, type Memento, Selection, window, workspace } from 'vscode';
import { t } from '../../server/protocol/index.js';
import { EDITOR_COMMANDS } from './manifest/command-ids.js';
import { showNotice } from './texts/notify.js';

const WELCOMED_KEY = 'inkling.welcomed';
const WALKTHROUGH_SETTING = 'workbench.welcomePage.walkthroughs.openOnInstall';

const LONGEST_WAIT_MS = 30_000;
const LOOK_MS = 100;

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

/**
 * Opens a document in which a first suggestion appears.
 *
 * @param isLoading whether the first model is still on its way: VS Code asks once, and not again when it has arrived
 * @param obstacle why nobody would answer, in a sentence; null where a server runs, which says itself why there is none
 */
export async function openExample(isLoading: () => boolean, obstacle: () => string | null): Promise<void> {
  const document = await workspace.openTextDocument({ language: 'typescript', content: `${EXAMPLE}\n  }\n}\n` });
  const editor = await window.showTextDocument(document, { preview: false });
  const cursor = document.positionAt(EXAMPLE.length);
  editor.selection = new Selection(cursor, cursor);
  if (isLoading()) showNotice(t('Waiting for the model to load.'));
  // After that the answer says why there is no suggestion.
  for (let waited = 0; isLoading() && waited < LONGEST_WAIT_MS; waited += LOOK_MS) await delay(LOOK_MS);
  if (window.activeTextEditor?.document !== document) return;
  const reason = obstacle();
  if (reason !== null) return showNotice(reason);
  await commands.executeCommand(EDITOR_COMMANDS.triggerSuggestion);
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
