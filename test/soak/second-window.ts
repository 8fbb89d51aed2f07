import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { CHAT_ASK_REQUEST, type InklingStatus, WORKSPACE_NOTIFICATION } from '../../server/protocol/index.js';
import { isAlive } from '../../server/src/util/files/is-alive.js';
import type { SeededRandom } from '../support/seeded-random.js';
import type { ServerProcess } from '../support/servers/server-process.js';
import type { Workplace } from './desk.js';
import type { RequestLedger } from './request-ledger.js';
import { childrenOf } from './vitals.js';

const KILLED_WHILE = ['starting', 'loading', 'completing', 'chatting', 'idle', 'sent_garbage'] as const;
const DOCUMENT = 'export function area(width: number, height: number): number {\n  return ';
const CURSOR = { line: 1, character: 9 };
const READY_LIMIT_MS = 27_000;
/** A server's children see that it is gone when their pipe ends. */
const CHILDREN_END_MS = 5_000;

/**
 * Another window of the user, whose server is killed at random moments and started again. It shares the state folder
 * with the first one.
 */
export class SecondWindow {
  readonly restartsMs: number[] = [];
  readonly freshRss: number[] = [];
  readonly badEnds: string[] = [];
  readonly happened: Record<string, number> = {};
  orphans = 0;
  readonly #workplace: Workplace;
  readonly #random: SeededRandom;
  readonly #ledger: RequestLedger;
  readonly #uri: string;

  constructor(workplace: Workplace, random: SeededRandom, ledger: RequestLedger) {
    this.#workplace = workplace;
    this.#random = random;
    this.#ledger = ledger;
    this.#uri = pathToFileURL(path.join(workplace.root, 'area.ts')).href;
  }

  /** Opens, is killed, opens again, works, and closes as it should. */
  async live(): Promise<void> {
    await this.#killed();
    const server = this.#workplace.start();
    try {
      await this.#open(server);
      await this.#ledger.expect('first suggestion', server.complete(this.#uri, CURSOR));
      this.restartsMs.push(performance.now() - server.spawnedAt);
      this.freshRss.push((await this.#workplace.settledVitals(server)).rssBytes);
      const code = await this.#ledger.expect('shutdown', server.shutdown());
      if (code !== 0) this.badEnds.push(`a second window ended with ${code}`);
      if (server.stderr !== '') this.badEnds.push(`a second window wrote ${server.stderr.slice(0, 500)}`);
    } finally {
      await server.dispose();
    }
  }

  async #open(server: ServerProcess): Promise<void> {
    const root = pathToFileURL(this.#workplace.root).href;
    await this.#ledger.expect('initialize', server.initialize(this.#workplace.settings, root));
    await server.connection.sendNotification(WORKSPACE_NOTIFICATION, { trusted: true, exclude: [] });
    await server.open(this.#uri, 'typescript', DOCUMENT);
    await this.#ledger.expect('ready', ready(server));
  }

  async #killed(): Promise<void> {
    const moment = KILLED_WHILE[this.#random.below(KILLED_WHILE.length)] ?? 'idle';
    this.happened[`killed_while_${moment}`] = (this.happened[`killed_while_${moment}`] ?? 0) + 1;
    const server = this.#workplace.start();
    const gone = server.exited();
    try {
      const expect = <T>(answer: Promise<T>) => this.#ledger.expectUnlessKilled(answer, gone);
      if (moment === 'starting' || moment === 'loading') {
        void expect(server.initialize(this.#workplace.settings));
        await delay(this.#random.below(moment === 'starting' ? 100 : 700));
      } else {
        await this.#open(server);
      }
      if (moment === 'completing') void expect(server.complete(this.#uri, CURSOR));
      if (moment === 'chatting') {
        const messages = [{ role: 'user', text: 'Write a long story.' }];
        const params = { id: 'killed', messages, maxTokens: 700 };
        void expect(server.connection.sendRequest(CHAT_ASK_REQUEST, params));
      }
      // No frame of LSP: the server may end or go on, as it likes.
      if (moment === 'sent_garbage') server.child.stdin?.write('Content-Length: 12\r\n\r\n{"jsonrpc": }\r\n\0\xff');
      await delay(this.#random.below(300));
      const children = childrenOf(server.pid);
      await server.dispose();
      await this.#countOrphans(children);
    } finally {
      await server.dispose();
    }
  }

  async #countOrphans(children: readonly number[]): Promise<void> {
    const deadline = performance.now() + CHILDREN_END_MS;
    while (children.some(isAlive) && performance.now() < deadline) await delay(50);
    this.orphans += children.filter(isAlive).length;
  }
}

/** Presses *Try again* where another server was killed while it loaded the model. */
async function ready(server: ServerProcess): Promise<InklingStatus> {
  try {
    return await server.waitForState('ready', READY_LIMIT_MS);
  } catch (error) {
    const { state } = await server.status();
    if (state.kind !== 'error' || state.error.code !== 'modelCrashed') throw error;
    await server.tryAgain(READY_LIMIT_MS);
    return server.waitForState('ready', READY_LIMIT_MS);
  }
}
