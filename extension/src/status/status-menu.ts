import { commands, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import { type InklingStatus, t } from '../../../server/protocol/index.js';
import { EDITOR_COMMANDS } from '../manifest/command-ids.js';
import { plainText } from '../texts/plain-text.js';
import { type MenuRow, menuRows } from './menu-rows.js';
import type { StatusView } from './status-view.js';

interface Item extends QuickPickItem {
  readonly command: string | null;
}

/**
 * What a click on the status bar item opens.
 *
 * @param clicked the click gave the status bar the keyboard: it goes back to the editor
 */
export async function showStatusMenu(status: InklingStatus, view: StatusView, clicked: boolean): Promise<void> {
  const items = menuRows(status, view).map(toItem);
  const chosen = await window.showQuickPick(items, {
    title: plainText(view.accessibleText),
    placeHolder: t('What would you like to see or change?'),
    matchOnDescription: true,
  });
  if (clicked) await commands.executeCommand(EDITOR_COMMANDS.focusEditor);
  if (chosen !== undefined && chosen.command !== null) await commands.executeCommand(chosen.command);
}

function toItem(row: MenuRow): Item {
  if (row.kind === 'separator') return { label: '', kind: QuickPickItemKind.Separator, command: null };
  const { label, description, detail, command } = row;
  return { label, description, command, ...(detail === '' ? {} : { detail }) };
}
