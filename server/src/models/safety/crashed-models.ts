import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type EngineErrorInfo, isRecord, t } from '../../../protocol/index.js';
import { JsonFile } from '../../util/files/json-file.js';
import { type LeftMarker, ProcessMarkers } from '../../util/files/process-markers.js';
import type { Log } from '../../util/log.js';
import { type FileIdentity, identify, isSameFile, parseIdentity } from './file-identity.js';

const MOST_ENTRIES = 100;

/** `load`: the process ended while it loaded the model. `use`: the client counted too many crashes with it. */
type CrashKind = 'load' | 'use';

/** What is being loaded. */
interface Loading {
  readonly file: FileIdentity;
}

interface CrashedModel {
  readonly file: FileIdentity;
  readonly kind: CrashKind;
}

export interface CrashedModelsOptions {
  /** Null remembers nothing beyond this process. */
  readonly stateDirectory: string | null;
  /** Serves when another model is refused, so it is never refused itself. */
  readonly starterModelPath: string;
  readonly log: Log;
}

/**
 * Which model files ended a server. Before a load a marker is written, and removed after it. A marker whose process is
 * gone tells what that process died of. Such a file is refused until it changes or the user wants to try again.
 */
export class CrashedModels {
  readonly #options: CrashedModelsOptions;
  readonly #markers: ProcessMarkers<Loading>;
  readonly #file: JsonFile;
  /** The path of the model that is being loaded, by marker. */
  readonly #own = new Map<string, string>();
  /** Told by the client and maybe not written yet. */
  #noted: Promise<void> = Promise.resolve();
  /** Not in the file: another process holds it, it cannot be written, or there is no state folder. */
  #unwritten: readonly CrashedModel[] = [];
  /** Paths of entries in the file that the user forgave, and that could not be taken out of it. */
  #forgiven: ReadonlySet<string> = new Set();
  /** Markers that say nothing more, and could not be removed. */
  readonly #settled = new Set<string>();
  #isOver = false;

  constructor(options: CrashedModelsOptions) {
    const { stateDirectory, log } = options;
    this.#options = options;
    this.#markers = new ProcessMarkers({
      folder: stateDirectory && join(stateDirectory, 'loading'),
      parse: parseLoading,
      // A graphics driver may take the whole machine down.
      durable: true,
      log,
    });
    this.#file = new JsonFile(stateDirectory && join(stateDirectory, 'crashed-models.json'), log);
  }

  /** Why a file must not be loaded; null if it may. Never rejects. */
  async refusal(path: string): Promise<EngineErrorInfo | null> {
    await this.#noted;
    const file = await this.#identify(path);
    if (file === null) return null;
    this.#collect();
    const crashed = this.#read().find((known) => isSameFile(known.file, file));
    return crashed === undefined ? null : { code: 'modelCrashed', message: describe(crashed) };
  }

  /** Runs a load of a file. If the process ends meanwhile, the next one knows why. */
  async during<T>(path: string, load: () => Promise<T>): Promise<T> {
    const file = await this.#identify(path);
    // An orderly end does not wait for a load, so nothing would remove its marker.
    const marker = file === null || this.#isOver ? null : this.#mark(file);
    try {
      return await load();
    } finally {
      if (marker !== null && this.#own.has(marker)) this.#unmark(marker);
    }
  }

  /**
   * The load of this file hangs, and this process ends because of it. The marker outlives both, and the file is refused
   * from now on: a process that hangs in a driver may be there for long.
   */
  blame(path: string): void {
    for (const [marker, loading] of this.#own) {
      if (loading !== path) continue;
      this.#own.delete(marker);
      const found = this.#markers.read(marker);
      if (found !== null) this.#add([{ file: found.file, kind: 'load' }]);
    }
  }

  /** The server crashed too often while this model was at work, as the client counted. */
  note(path: string): void {
    this.#noted = this.#noted.then(async () => {
      const file = await this.#identify(path);
      if (file !== null) this.#add([{ file, kind: 'use' }]);
    });
  }

  /** The user wants to try again. @returns whether the file was refused until now */
  async forgive(path: string): Promise<boolean> {
    const isRefused = (await this.refusal(path)) !== null;
    if (isRefused) this.#forget(path);
    return isRefused;
  }

  /** From now on an end of the process is intended, and no crash. */
  dispose(): void {
    this.#isOver = true;
    for (const marker of [...this.#own.keys()]) this.#unmark(marker);
  }

  async #identify(path: string): Promise<FileIdentity | null> {
    return path === this.#options.starterModelPath ? null : identify(path);
  }

  #mark(file: FileIdentity): string | null {
    const marker = this.#markers.add({ file });
    if (marker !== null) this.#own.set(marker, file.path);
    return marker;
  }

  #unmark(marker: string): void {
    this.#own.delete(marker);
    this.#markers.remove(marker);
  }

  /** Turns the markers that ended processes left behind into entries. */
  #collect(): void {
    const left = this.#left();
    const crashed = left.flatMap(({ content }) =>
      content === null ? [] : [{ file: content.file, kind: 'load' as const }],
    );
    const isKept = crashed.length === 0 || this.#add(crashed);
    // A marker goes once its entry is there for everybody.
    for (const { path, content } of left) if (content === null || isKept) this.#settle(path);
  }

  #left(): readonly LeftMarker<Loading>[] {
    return this.#markers.left().filter(({ path }) => !this.#settled.has(path));
  }

  #settle(marker: string): void {
    this.#markers.remove(marker);
    // Where the folder can only be read, it would be found again and again.
    if (existsSync(marker)) this.#settled.add(marker);
  }

  /** @returns whether it is in the file now */
  #add(crashed: readonly CrashedModel[]): boolean {
    for (const each of crashed) this.#options.log.warn(`${describe(each)}: ${each.file.path}`);
    this.#unwritten = joined(this.#unwritten, crashed);
    return this.#write();
  }

  /** Holds here at once, and for others as soon as it can be written. */
  #forget(path: string): void {
    // Their entries could not be written, so they would bring them back.
    for (const marker of this.#left()) if (marker.content?.file.path === path) this.#settle(marker.path);
    this.#unwritten = this.#unwritten.filter(({ file }) => file.path !== path);
    this.#forgiven = new Set([...this.#forgiven, path]);
    this.#write();
  }

  /** Changes what the file holds at that time: other windows change it too. @returns whether that was possible */
  #write(): boolean {
    let isWritten = false;
    this.#file.changeSoon({
      merge: (stored) => this.#with(stored),
      written: () => {
        isWritten = true;
      },
    });
    this.#file.flush();
    if (isWritten) {
      this.#unwritten = [];
      this.#forgiven = new Set();
    }
    return isWritten;
  }

  #read(): readonly CrashedModel[] {
    return this.#with(this.#file.read());
  }

  /** What the file holds, with what could not be written. */
  #with(stored: unknown): readonly CrashedModel[] {
    const known = parseList(stored).filter(({ file }) => !this.#forgiven.has(file.path));
    return joined(known, this.#unwritten);
  }
}

/** The later entries take the place of earlier ones of the same file. */
function joined(earlier: readonly CrashedModel[], later: readonly CrashedModel[]): readonly CrashedModel[] {
  const others = earlier.filter((each) => later.every(({ file }) => file.path !== each.file.path));
  return [...others, ...later].slice(-MOST_ENTRIES);
}

function parseLoading({ file }: Readonly<Record<string, unknown>>): Loading | null {
  const identity = parseIdentity(file);
  return identity && { file: identity };
}

/** Empty for what is no list. */
function parseList(stored: unknown): readonly CrashedModel[] {
  return Array.isArray(stored) ? stored.map(parseCrashed).filter((crashed) => crashed !== null) : [];
}

function parseCrashed(value: unknown): CrashedModel | null {
  if (!isRecord(value)) return null;
  const file = parseIdentity(value.file);
  const { kind } = value;
  return file !== null && (kind === 'load' || kind === 'use') ? { file, kind } : null;
}

function describe({ file, kind }: CrashedModel): string {
  const name = basename(file.path);
  return kind === 'load'
    ? t('The language server ended while it loaded {0}', name)
    : t('The language server crashed several times with {0}', name);
}
