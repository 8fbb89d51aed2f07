import { type Disposable, EventEmitter, type QuickPickItem, window } from 'vscode';
import { t } from '../../server/protocol/index.js';

interface Choice extends QuickPickItem {
  readonly minutes: number;
}

/** Pauses automatic suggestions for a while; the user can still ask for one. */
export class Snooze implements Disposable {
  readonly #emitter = new EventEmitter<void>();
  #timer: NodeJS.Timeout | undefined;
  #endsAt = 0;
  readonly onDidChange = this.#emitter.event;

  get active(): boolean {
    return this.#timer !== undefined;
  }

  /** Milliseconds since the epoch; meaningless while it is not active. */
  get until(): number {
    return this.#endsAt;
  }

  /** Asks for how long; ends an active snooze. */
  async toggle(): Promise<void> {
    if (this.active) {
      this.end();
      return;
    }
    const choices: Choice[] = [5, 15, 60].map((minutes) => ({ label: t('{0} minutes', minutes), minutes }));
    const choice = await window.showQuickPick(choices, {
      title: t('Snooze suggestions'),
      placeHolder: t('For how long should no suggestion appear by itself?'),
    });
    if (choice !== undefined) this.start(choice.minutes);
  }

  start(minutes: number): void {
    clearTimeout(this.#timer);
    this.#endsAt = Date.now() + minutes * 60_000;
    this.#timer = setTimeout(() => this.end(), minutes * 60_000);
    this.#emitter.fire();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#emitter.fire();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#emitter.dispose();
  }
}
