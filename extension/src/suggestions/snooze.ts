import { type Disposable, EventEmitter, type QuickPickItem, window } from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { type ClockTimes, currentTime, snoozeEnd, snoozeLeft } from './snooze-time.js';

const CHECK_MS = 30_000;

interface Choice extends QuickPickItem {
  readonly minutes: number;
}

/** Stops automatic suggestions for a while; the user can still ask for one. */
export class Snooze implements Disposable {
  readonly #emitter = new EventEmitter<void>();
  #timer: NodeJS.Timeout | null = null;
  #end: ClockTimes = { wall: 0, steady: 0 };
  readonly onDidChange = this.#emitter.event;

  get active(): boolean {
    return this.#timer !== null;
  }

  /** Milliseconds since the epoch; meaningless while it is not active. */
  get until(): number {
    const now = currentTime();
    return now.wall + snoozeLeft(this.#end, now);
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
      placeHolder: t('How long should automatic suggestions stay off?'),
    });
    if (choice !== undefined) this.start(choice.minutes);
  }

  start(minutes: number): void {
    this.#end = snoozeEnd(minutes, currentTime());
    this.#wait();
    this.#emitter.fire();
  }

  /** Looks at the clocks now and then: a timer alone stops while the machine sleeps. */
  #wait(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const left = snoozeLeft(this.#end, currentTime());
    this.#timer = setTimeout(() => (left <= CHECK_MS ? this.end() : this.#wait()), Math.min(left, CHECK_MS));
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#emitter.fire();
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#emitter.dispose();
  }
}
