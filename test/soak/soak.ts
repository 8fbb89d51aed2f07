import { setTimeout as delay } from 'node:timers/promises';
import { FREE_CACHES_REQUEST } from '../../server/protocol/index.js';
import { replay } from '../bench/typing/typing-replay.js';
import { typingTraces } from '../bench/typing/typing-traces.js';
import { type SeededRandom, seededRandom } from '../support/seeded-random.js';
import type { ServerProcess } from '../support/servers/server-process.js';
import { damagedFiles } from '../support/servers/user-place.js';
import { ACTIVITIES, type Activity } from './activities.js';
import { Desk, Workplace } from './desk.js';
import { FAULTS } from './faults.js';
import { RequestLedger } from './request-ledger.js';
import { SecondWindow } from './second-window.js';
import type { SoakResult } from './verdict.js';
import { type SettledVitals, type Vitals, vitalsOf } from './vitals.js';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly progress: (text: string) => void;
}

/** Of the whole time. */
const WARM_UP_SHARE = 0.12;
/** One of this many activities is a fault. */
const ACTIVITIES_TO_A_FAULT = 4;
/** Time between two visits to the second window. */
const SECOND_WINDOW_EVERY_MS = 30_000;
/** A replay of both traces takes about 50 s. Longer runs measure twice. */
const MINUTES_FOR_TWO_REPLAYS = 12;
const PROGRESS_EVERY_MS = 60_000;

/**
 * Plays a day. The first window's server lives all the time: its memory, handles and latency are compared between a
 * settled state after the warm-up and one at the end. A second window's server is killed again and again beside it.
 */
export async function soak({ minutes, seed, progress }: SoakOptions): Promise<SoakResult> {
  const workplace = new Workplace();
  const ledger = new RequestLedger();
  const desk = new Desk(workplace, seededRandom(seed), ledger);
  const day = new Day(desk, new SecondWindow(workplace, seededRandom(seed + 1), ledger), progress);
  const replays = minutes >= MINUTES_FOR_TWO_REPLAYS ? 2 : 1;
  const startedAt = performance.now();
  const endsAt = startedAt + minutes * 60_000;
  try {
    await desk.begin();
    progress('warm-up');
    await day.each();
    await day.until(startedAt + WARM_UP_SHARE * minutes * 60_000);
    progress('typing at the start');
    const measuredAt = performance.now();
    const startMs = await latencies(desk, replays);
    const start = await settle(desk);
    progress(`the day; it starts with ${megabytes(start)} MB`);
    // The end takes as long, and one replay more.
    const measuringMs = (performance.now() - measuredAt) * (1 + 0.6 / replays);
    await day.until(endsAt - measuringMs);
    progress('typing at the end');
    const endMs = await latencies(desk, 1);
    const freshMs = await freshLatencies(workplace, ledger);
    endMs.push(...(await latencies(desk, replays - 1)));
    const end = await settle(desk);
    progress(`the day ended with ${megabytes(end)} MB`);
    await day.end();
    return {
      start,
      end,
      latenciesMs: { start: startMs, end: endMs, fresh: freshMs },
      requests: ledger,
      damagedFiles: damagedFiles(workplace.state),
      ...day.record,
    };
  } finally {
    await desk.server.dispose();
    workplace.dispose();
  }
}

class Day {
  readonly #desk: Desk;
  readonly #second: SecondWindow;
  readonly #progress: (text: string) => void;
  readonly #happened: Record<string, number> = {};
  readonly #rssCourse: number[] = [];
  readonly #badEnds: string[] = [];
  #visit: Promise<void> | null = null;
  #nextVisit = 0;
  #nextProgress = 0;
  #isOver = false;

  constructor(desk: Desk, second: SecondWindow, progress: (text: string) => void) {
    this.#desk = desk;
    this.#second = second;
    this.#progress = progress;
    void desk.server.exited().then((code) => {
      if (!this.#isOver) this.#badEnds.push(`the first window's server ended with ${code}: ${desk.server.stderr}`);
    });
  }

  /** All activities and faults once, so that each has had its first time before anything is measured. */
  async each(): Promise<void> {
    for (const activity of [...ACTIVITIES, ...FAULTS]) await this.#do(activity);
    for (const file of this.#desk.workplace.files) await this.#desk.open(file);
  }

  /** Activities and faults at random until then. The second window closes in time. */
  async until(endsAt: number): Promise<void> {
    this.#nextVisit = performance.now();
    while (performance.now() < endsAt) {
      this.#visitInTime();
      const { random } = this.#desk;
      await this.#do(choose(random, random.below(ACTIVITIES_TO_A_FAULT) === 0 ? FAULTS : ACTIVITIES));
      this.#report();
    }
    await this.#visit;
  }

  async end(): Promise<void> {
    const { server, ledger } = this.#desk;
    this.#isOver = true;
    const code = await ledger.expect('shutdown', server.shutdown());
    if (code !== 0) this.#badEnds.push(`the first window's server ended with ${code}`);
    if (server.stderr !== '') this.#badEnds.push(`the first window's server wrote ${server.stderr.slice(0, 500)}`);
  }

  get record() {
    const { restartsMs, freshRss, orphans, badEnds, happened } = this.#second;
    return {
      happened: { ...this.#happened, ...happened },
      rssCourse: this.#rssCourse,
      badEnds: [...this.#badEnds, ...badEnds],
      restartsMs,
      freshRss,
      orphans,
    };
  }

  async #do({ name, run }: Activity): Promise<void> {
    if (this.#badEnds.length > 0) throw new Error(this.#badEnds.join('\n'));
    this.#happened[name] = (this.#happened[name] ?? 0) + 1;
    await run(this.#desk);
  }

  #visitInTime(): void {
    if (this.#visit !== null || performance.now() < this.#nextVisit) return;
    this.#visit = this.#second.live().finally(() => {
      this.#visit = null;
      this.#nextVisit = performance.now() + SECOND_WINDOW_EVERY_MS;
    });
  }

  #report(): void {
    if (performance.now() < this.#nextProgress) return;
    this.#nextProgress = performance.now() + PROGRESS_EVERY_MS;
    const vitals = vitalsOf(this.#desk.server.pid);
    this.#rssCourse.push(vitals.rssBytes);
    const { asked, unanswered, failures } = this.#desk.ledger;
    this.#progress(
      `${asked} requests, ${unanswered.length} unanswered, ${failures.length} failed; ${megabytes(vitals)} MB, ` +
        `${vitals.handles} handles, ${vitals.threads} threads`,
    );
  }
}

function choose(random: SeededRandom, activities: readonly Activity[]): Activity {
  const total = activities.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.below(total);
  for (const activity of activities) {
    left -= activity.weight;
    if (left < 0) return activity;
  }
  throw new Error('The weights do not add up');
}

/** No document, no cache: what is left is held for good. */
async function settle(desk: Desk): Promise<SettledVitals> {
  await desk.closeAll();
  await desk.change({});
  await desk.ready();
  return desk.workplace.settledVitals(desk.server);
}

/** Typing of the same kind each time, at a person's speed, in a server that has closed its documents. */
async function latencies(desk: Desk, replays: number): Promise<number[]> {
  await desk.closeAll();
  await desk.change({});
  await desk.ready();
  await desk.request(FREE_CACHES_REQUEST);
  const all: number[] = [];
  for (let index = 0; index < replays; index += 1) all.push(...(await replayOn(desk.server, desk.ledger)));
  return all;
}

async function freshLatencies(workplace: Workplace, ledger: RequestLedger): Promise<number[]> {
  const server = workplace.start();
  try {
    await server.initialize(workplace.settings);
    await server.waitForState('ready', 60_000);
    return await replayOn(server, ledger);
  } finally {
    await server.dispose();
    // Its window closes for the others.
    await delay(100);
  }
}

async function replayOn(server: ServerProcess, ledger: RequestLedger): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (const trace of typingTraces()) {
    const { requests } = await replay(server, trace);
    await server.closeAll();
    for (const { answer } of requests) {
      ledger.asked += 1;
      ledger.answered += 1;
      // A refused request costs nothing and would improve the figures.
      const isWanted = answer !== null && (answer.reason === null || answer.reason === 'filtered');
      if (isWanted) latenciesMs.push(answer.latencyMs);
    }
  }
  return latenciesMs;
}

function megabytes({ rssBytes }: Vitals): string {
  return (rssBytes / 1e6).toFixed(1);
}
