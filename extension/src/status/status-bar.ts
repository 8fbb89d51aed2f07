import { type Disposable, MarkdownString, StatusBarAlignment, type StatusBarItem, ThemeColor, window } from 'vscode';
import type { InklingStatus } from '../../../server/protocol/index.js';
import type { EditedLanguage } from '../editor/active-language.js';
import { INKLING_COMMANDS } from '../manifest/command-ids.js';
import type { StatusMemory } from '../manifest/settings.js';
import { commandLink, markdownText } from '../texts/plain-text.js';
import { memoryMatters } from './memory-parts.js';
import { showStatusMenu } from './status-menu.js';
import { type StatusView, statusView, type TooltipRow, withoutBackground } from './status-view.js';

/** Most suggestions are ready sooner: an icon that spins at every key would only distract. */
const SHOW_WORKING_AFTER_MS = 250;

/** Tells the command that the menu opens by a click on the item. */
const CLICK = 'click';

/** Characters. */
const BAR_LENGTH = 10;

export class StatusBar implements Disposable {
  readonly #item: StatusBarItem;
  #workingTimer: NodeJS.Timeout | null = null;
  #status: InklingStatus | null = null;
  #snoozedUntil: number | null = null;
  #isAutomatic = true;
  #edited: EditedLanguage | null = null;
  #memory: StatusMemory;
  #memoryMatters = false;

  /** @param memory when the text has numbers */
  constructor(memory: StatusMemory) {
    this.#memory = memory;
    this.#item = window.createStatusBarItem('inkling.status', StatusBarAlignment.Right, 100);
    this.#item.name = 'Inkling';
    this.#item.command = { command: INKLING_COMMANDS.showMenu, title: 'Inkling', arguments: [CLICK] };
  }

  show(status: InklingStatus): void {
    this.#status = withoutBackground(status);
    this.#memoryMatters = status.memory !== null && memoryMatters(status.memory, this.#memoryMatters);
    const view = this.#view(this.#status);
    if (this.#workingTimer !== null) clearTimeout(this.#workingTimer);
    if (this.#status.state.kind === 'working') {
      this.#workingTimer = setTimeout(() => this.#render(view), SHOW_WORKING_AFTER_MS);
    } else {
      this.#render(view);
    }
  }

  /** @param until milliseconds since the epoch; null when suggestions appear again */
  showSnooze(until: number | null): void {
    this.#snoozedUntil = until;
    this.#showAgain();
  }

  /** @param isAutomatic whether suggestions come by themselves */
  showTrigger(isAutomatic: boolean): void {
    if (isAutomatic === this.#isAutomatic) return;
    this.#isAutomatic = isAutomatic;
    this.#showAgain();
  }

  /** @param edited the language of the active editor; null where it does not matter */
  showLanguage(edited: EditedLanguage | null): void {
    this.#edited = edited;
    this.#showAgain();
  }

  showMemory(memory: StatusMemory): void {
    if (memory === this.#memory) return;
    this.#memory = memory;
    this.#showAgain();
  }

  /** Why no suggestions come by themselves, as a sentence or two; null where they do. */
  get obstacle(): string | null {
    return this.#status === null ? null : this.#view(this.#status).obstacle;
  }

  /** @param origin the command's argument */
  async openMenu(origin: unknown): Promise<void> {
    if (this.#status !== null) await showStatusMenu(this.#status, this.#view(this.#status), origin === CLICK);
  }

  dispose(): void {
    if (this.#workingTimer !== null) clearTimeout(this.#workingTimer);
    this.#item.dispose();
  }

  #showAgain(): void {
    if (this.#status !== null) this.show(this.#status);
  }

  #view(status: InklingStatus): StatusView {
    const showsMemory = this.#memory === 'always' || this.#memoryMatters;
    return statusView(status, {
      snoozedUntil: this.#snoozedUntil,
      isAutomatic: this.#isAutomatic,
      edited: this.#edited,
      showsMemory,
    });
  }

  #render(view: StatusView): void {
    this.#item.text = view.text;
    this.#item.accessibilityInformation = { label: view.accessibleText };
    this.#item.backgroundColor = background(view.color);
    this.#item.tooltip = tooltip(view);
    this.#item.show();
  }
}

function tooltip(view: StatusView): MarkdownString {
  const markdown = new MarkdownString();
  // Markdown may run only the commands in the links that Inkling itself adds.
  markdown.isTrusted = { enabledCommands: view.links.map((link) => link.command) };
  markdown.appendMarkdown(`**Inkling** ${markdownText(view.headline)}`);
  if (view.rows.length > 0) {
    // A table without a head: Markdown needs its cells, and shows nothing for empty ones.
    markdown.appendMarkdown('\n\n| | |\n|:--|:--|\n');
    for (const row of view.rows) markdown.appendMarkdown(tableRow(row));
  }
  return markdown.appendMarkdown(
    `\n\n---\n\n${view.links.map(({ label, command }) => commandLink(label, command)).join(' | ')}`,
  );
}

function tableRow({ label, value, share }: TooltipRow): string {
  return `| ${label} | ${share === null ? '' : `\`${bar(share)}\` `}${unbroken(value)} |\n`;
}

/** A cell's text on one line. Text from a model file or a server may contain Markdown. */
function unbroken(text: string): string {
  return markdownText(text).replaceAll(' ', '&nbsp;');
}

/** Uses characters of equal width in fixed-width fonts. */
function bar(share: number): string {
  const filled = Math.min(BAR_LENGTH, Math.max(0, Math.round(share * BAR_LENGTH)));
  return '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
}

function background(color: StatusView['color']): ThemeColor | undefined {
  return color === 'normal' ? undefined : new ThemeColor(`statusBarItem.${color}Background`);
}
