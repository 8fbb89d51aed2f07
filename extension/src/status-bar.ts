import { type Disposable, MarkdownString, StatusBarAlignment, type StatusBarItem, ThemeColor, window } from 'vscode';
import type { InklingStatus } from '../../server/protocol/index.js';
import type { UserAction } from './error-action.js';
import { type StatusView, statusView } from './status-view.js';

/** Most suggestions are ready sooner: an icon that turned at every key would only distract. */
const SHOW_WORKING_AFTER_MS = 250;

export class StatusBar implements Disposable {
  private readonly item: StatusBarItem;
  private workingTimer: NodeJS.Timeout | undefined;
  private status: InklingStatus | undefined;
  private snoozedUntil: number | null = null;

  constructor() {
    this.item = window.createStatusBarItem('inkling.status', StatusBarAlignment.Right, 100);
    this.item.name = 'Inkling';
  }

  show(status: InklingStatus): void {
    this.status = status;
    const view = statusView(status, this.snoozedUntil);
    clearTimeout(this.workingTimer);
    if (status.state.kind === 'working') {
      this.workingTimer = setTimeout(() => this.render(view), SHOW_WORKING_AFTER_MS);
    } else {
      this.render(view);
    }
  }

  /** @param until milliseconds since the epoch; null when suggestions appear again */
  showSnooze(until: number | null): void {
    this.snoozedUntil = until;
    if (this.status !== undefined) this.show(this.status);
  }

  dispose(): void {
    clearTimeout(this.workingTimer);
    this.item.dispose();
  }

  private render(view: StatusView): void {
    this.item.text = view.text;
    this.item.accessibilityInformation = { label: view.accessibleText };
    this.item.backgroundColor = view.color === 'error' ? new ThemeColor('statusBarItem.errorBackground') : undefined;
    this.item.command = view.click.command;
    this.item.tooltip = tooltip(view);
    this.item.show();
  }
}

function tooltip(view: StatusView): MarkdownString {
  const markdown = new MarkdownString();
  // Only what Inkling writes itself is trusted, and only to run the commands that it shows.
  markdown.isTrusted = { enabledCommands: view.links.map((link) => link.command) };
  markdown.appendMarkdown('**Inkling** ').appendText(view.headline);
  for (const row of view.rows) markdown.appendMarkdown(`\n\n**${row.label}** `).appendText(row.value);
  return markdown.appendMarkdown(`\n\n---\n\n${view.links.map(commandLink).join(' | ')}`);
}

function commandLink(action: UserAction): string {
  return `[${action.label}](command:${action.command})`;
}
