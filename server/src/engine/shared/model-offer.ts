import { createServer, type Server, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { LockFile } from '../../util/files/lock-file.js';
import type { Log } from '../../util/log.js';
import type { Engine, LoadOptions } from '../port/engine.js';
import { toEngineError } from '../port/engine-error.js';
import type { MemoryReport } from '../port/memory-report.js';
import type { ModelFacts } from '../port/model-facts.js';
import { GuestSession } from './guest-session.js';
import type { Door, OfferFolder } from './offer-folder.js';
import { MOST_CONNECTIONS, MOST_GUESTS } from './wire/limits.js';
import { ownerLost } from './wire/wire-error.js';

/** On Windows a lock counts as held only while it is fresh; temporary files may be removed after days. */
const TOUCH_EVERY_MS = 20_000;

export interface OfferOptions {
  readonly name: string;
  readonly engine: Engine;
  /** What the model is loaded with, as far as it is known already. */
  readonly options: LoadOptions;
  /** Called before the load. @throws EngineError where the model does not fit */
  readonly plan: (options: LoadOptions) => Promise<LoadOptions>;
  readonly folder: OfferFolder;
  readonly lock: LockFile;
  readonly version: string;
  readonly onDeviceLost: () => void;
  readonly log: Log;
}

/**
 * A model in this process that other windows may use. It stays loaded while this window or a guest uses it. The
 * process that holds its lock owns it; nobody else listens at its address.
 */
export class ModelOffer {
  readonly engine: Engine;
  readonly #offer: OfferOptions;
  readonly #server: Server;
  readonly #sessions = new Set<GuestSession>();
  readonly #listeners = new Set<(fraction: number) => void>();
  readonly #touching: NodeJS.Timeout;
  #loaded: Promise<ModelFacts> | null = null;
  #options: LoadOptions;
  #isLoaded = false;
  /** Generations of guests, and when the last one began or ended. */
  #running = 0;
  #usedAt = Number.NEGATIVE_INFINITY;
  /** This window's own use. */
  #isUsedHere = true;
  #closed: Promise<void> | null = null;
  #afterwards: () => void = () => undefined;

  private constructor(offer: OfferOptions, door: Door) {
    this.#offer = offer;
    this.#options = offer.options;
    this.engine = offer.engine;
    this.#server = createServer((socket) => this.#welcome(socket, door.secret));
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#touching = setInterval(() => this.#touch(), TOUCH_EVERY_MS);
    this.#touching.unref();
  }

  /** @param afterwards called once it is closed */
  whenClosed(afterwards: () => void): void {
    this.#afterwards = afterwards;
  }

  /** @throws the file system's or the network's error where nobody can be let in; the lock is released then */
  static async open(offer: OfferOptions): Promise<ModelOffer> {
    const { folder, name, lock } = offer;
    let opened: ModelOffer | null = null;
    try {
      const door = folder.prepare(name);
      opened = new ModelOffer(offer, door);
      await listen(opened.#server, door.address);
      folder.publish(name, door);
      folder.removeLeft();
      return opened;
    } catch (error) {
      if (opened !== null) {
        clearInterval(opened.#touching);
        opened.#server.close();
      }
      folder.clear(name);
      lock.release();
      throw error;
    }
  }

  get options(): LoadOptions {
    return this.#options;
  }

  /**
   * The options of the load request, if `planned` is the plan that was made of it. Null for another plan: a window that took
   * over a load did not plan it itself.
   */
  begunWith(planned: LoadOptions): LoadOptions | null {
    return isDeepStrictEqual(planned, this.#options) ? this.#offer.options : null;
  }

  get hasGuests(): boolean {
    return this.#guests > 0;
  }

  /** Milliseconds since a guest last generated; 0 while one does. */
  get idleMs(): number {
    return this.#running > 0 ? 0 : performance.now() - this.#usedAt;
  }

  /** Null while it is not loaded. */
  memory(): MemoryReport | null {
    return this.#isLoaded ? this.engine.memory() : null;
  }

  get isUsedHere(): boolean {
    return this.#isUsedHere;
  }

  /** Plans and loads the model, once, for this window and all that wait for it. They wait from now on. */
  load(onProgress: (fraction: number) => void, signal: AbortSignal): Promise<ModelFacts> {
    this.#listeners.add(onProgress);
    this.#loaded ??= this.#load(signal);
    return this.#loaded;
  }

  /** This window uses the model again that it kept for others. */
  use(): Promise<ModelFacts> {
    this.#isUsedHere = true;
    return this.#loaded ?? Promise.reject(ownerLost());
  }

  /** This window uses the model no longer. Guests keep it. */
  async leave(): Promise<void> {
    this.#isUsedHere = false;
    if (!this.hasGuests) return this.close();
    this.#offer.log.info(`The model stays loaded for ${this.#guests} other windows.`);
  }

  /**
   * Gives the model up. Its guests load it again, one of them for all: memory is free before they hear of it. Never
   * rejects.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close().then(() => this.#afterwards());
    return this.#closed;
  }

  /** Null while it is open. */
  get closed(): Promise<void> | null {
    return this.#closed;
  }

  async #load(signal: AbortSignal): Promise<ModelFacts> {
    this.#options = await this.#offer.plan(this.#options);
    const { offer: _, ...options } = this.#options;
    const report = (fraction: number): void => {
      for (const listener of this.#listeners) listener(fraction);
    };
    const facts = await this.engine.load(options, report, signal);
    this.#isLoaded = true;
    return facts;
  }

  async #close(): Promise<void> {
    const { engine, folder, lock, name, log } = this.#offer;
    clearInterval(this.#touching);
    this.#isLoaded = false;
    this.#server.close();
    try {
      await engine.close();
    } catch (error) {
      log.error(`Closing the shared engine failed: ${toEngineError(error).message}`);
    }
    try {
      if (lock.isOurs()) folder.clear(name);
    } catch (error) {
      log.debug(`The offer could not be removed: ${String(error)}`);
    }
    lock.release();
    // Requests that have failed are answered before the connections close.
    await new Promise(setImmediate);
    for (const session of this.#sessions) session.end();
  }

  #welcome(socket: Socket, secret: string): void {
    const { version, onDeviceLost, log } = this.#offer;
    const session = new GuestSession(
      socket,
      {
        engine: this.engine,
        version,
        secret,
        hasRoom: () => this.#guests < MOST_GUESTS,
        isClosing: () => this.#closed !== null,
        loaded: (onProgress) => this.#whenLoaded(onProgress),
        drawback: () => this.#options.offer?.drawback ?? null,
        heldBytes: () => this.memory()?.totalBytes ?? 0,
        noteUse: (step) => this.#noteUse(step),
        onDeviceLost,
      },
      log,
      () => this.#goodbye(session),
    );
    this.#sessions.add(session);
  }

  #noteUse(step: 1 | -1): void {
    this.#running += step;
    this.#usedAt = performance.now();
  }

  async #whenLoaded(onProgress: (fraction: number) => void): Promise<ModelFacts> {
    this.#listeners.add(onProgress);
    try {
      // It came before the load began, and comes again.
      if (this.#loaded === null) throw ownerLost();
      return await this.#loaded;
    } finally {
      this.#listeners.delete(onProgress);
    }
  }

  #goodbye(session: GuestSession): void {
    this.#sessions.delete(session);
    if (this.#isUsedHere || this.hasGuests) return;
    void this.close();
  }

  get #guests(): number {
    return [...this.#sessions].filter(({ isGuest }) => isGuest).length;
  }

  #touch(): void {
    const { lock, folder, name, log } = this.#offer;
    try {
      if (!lock.isOurs()) return;
      lock.touch();
      folder.touch(name);
    } catch (error) {
      log.debug(`The files of the shared model cannot be touched: ${String(error)}`);
    }
  }
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      // Such as no handles for one more connection: the others go on.
      server.on('error', () => undefined);
      resolve();
    });
  });
}
