import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, until } from '../../driver/bench.js';
import { type DrawnEdit, drawnEdit, isEmpty } from '../../driver/drawn-edit.js';

/** Longer than Inkling waits before it looks for a next edit. */
const QUIET_MS = 1_500;
const EDIT_TIME_LIMIT_MS = 20_000;
const GHOST_TEXT_TIME_LIMIT_MS = 2_000;

/** What tests of next edits do and wait for. */
export class NextEditSteps {
  readonly #bench: Bench;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  drawn(): Promise<DrawnEdit> {
    return drawnEdit(this.#bench.page.page);
  }

  async text(): Promise<string> {
    return (await this.#bench.page.content()).text;
  }

  async waitFor(wanted: (edit: DrawnEdit) => boolean, what: string): Promise<DrawnEdit> {
    let edit = await this.drawn();
    const isDrawn = async () => {
      edit = await this.drawn();
      return wanted(edit);
    };
    const isThere = await until(isDrawn, EDIT_TIME_LIMIT_MS);
    assert.ok(isThere, `${what}: ${JSON.stringify(edit)} in ${JSON.stringify(await this.text())}`);
    return edit;
  }

  /**
   * Ghost text has Tab first; whoever does not want it presses Escape. It may come after the hint that tells of it, and
   * the editor may not show it at all: then Escape would refuse the next edit for good.
   */
  async waitForHint(pattern: RegExp): Promise<void> {
    const { hint } = await this.waitFor((edit) => pattern.test(edit.hint), `no hint ${pattern}`);
    if (!hint.startsWith('→')) return;
    const hasGhostText = async () => (await this.#bench.page.content()).ghost !== '';
    if (await until(hasGhostText, GHOST_TEXT_TIME_LIMIT_MS)) await this.#bench.page.press('Escape');
  }

  async waitForText(wanted: (text: string) => boolean): Promise<void> {
    let text = '';
    const isThere = async () => {
      text = await this.text();
      return wanted(text);
    };
    assert.ok(await until(isThere), text);
  }

  async waitForNothing(): Promise<void> {
    await this.waitFor(isEmpty, 'something is drawn');
  }

  async staysEmpty(): Promise<void> {
    await delay(QUIET_MS);
    assert.ok(isEmpty(await this.drawn()), JSON.stringify(await this.drawn()));
  }

  /** Opens a copy, and renames its variable where it is declared and nowhere else. */
  async renameByHand(name: string, to = 'total'): Promise<string> {
    const file = await this.#bench.openCopy('basket.ts', name);
    await this.#bench.page.press('Home');
    await this.#bench.page.press('Control+ArrowRight');
    await this.#bench.page.press('ArrowRight');
    await this.#bench.page.press('Control+Shift+ArrowRight');
    await this.#type(file, to);
    return file;
  }

  /** Opens a copy, and adds a parameter to its function. */
  async addParameter(name: string, fixture = 'fare.ts'): Promise<void> {
    const file = await this.#bench.openCopy(fixture, name);
    await this.pressOften('ArrowLeft', '): number {'.length);
    await this.#type(file, ', rate: number');
  }

  /**
   * As the first change of a file. A pause between two keys is enough for a hint, which the next key takes away: what is
   * drawn before the server has all keys may be gone when the test presses Tab.
   */
  async #type(file: string, text: string): Promise<void> {
    await this.#bench.page.type(text);
    const isSent = () =>
      this.#bench
        .log()
        .says("Sending notification 'textDocument/didChange'", path.basename(file), `"version": ${1 + text.length}\n`);
    assert.ok(await until(isSent), `the server did not get ${text.length} keys`);
  }

  /**
   * For a suite that types. Inkling takes a pause of 300 ms for the end of an edit, and a busy machine pauses wherever it
   * likes: what is typed here as one edit then is two. Such a test gets a second try, which the report shows, in an
   * editor without the files of the first.
   */
  allowPauses(suite: Mocha.Suite): void {
    suite.retries(1);
    const bench = this.#bench;
    suite.afterEach(async function () {
      if (this.currentTest?.state !== 'passed') await bench.page.closeAll();
    });
  }

  async pressOften(key: string, times: number): Promise<void> {
    for (let left = times; left > 0; left--) await this.#bench.page.press(key);
  }

  async closeFile(): Promise<void> {
    await this.#bench.page.runCommand('File: Revert File');
    await this.#bench.page.press('Control+W');
  }
}

export function occurrences(text: string, wanted: string): number {
  return text.split(wanted).length - 1;
}
