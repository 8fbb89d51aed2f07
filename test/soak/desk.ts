import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol';
import { FREE_CACHES_REQUEST, type InklingStatus, WORKSPACE_NOTIFICATION } from '../../server/protocol/index.js';
import { writeChatModel } from '../support/models/chat-model.js';
import type { SeededRandom } from '../support/seeded-random.js';
import { Editor } from '../support/servers/editor.js';
import { ServerProcess, starterModel } from '../support/servers/server-process.js';
import { listSources, REPOSITORY_ROOT } from '../support/source-tree.js';
import { TemporaryFolder } from '../support/temporary-folder.js';
import type { RequestLedger } from './request-ledger.js';
import { type SettledVitals, settledVitals } from './vitals.js';

const LANGUAGES: Readonly<Record<string, string>> = {
  '.ts': 'typescript',
  '.py': 'python',
  '.cpp': 'cpp',
  '.h': 'cpp',
};

/** What the user has in common with a second window: the files, the model and the server's state folder. */
export class Workplace {
  readonly #folder = new TemporaryFolder();
  readonly model = this.#folder.file('chat.gguf');
  readonly root = this.#folder.file('workspace');
  readonly state = this.#folder.file('state');
  /** Relative to the root. */
  readonly files: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Where servers write what JavaScript holds. */
  readonly reports = this.#folder.file('reports');

  constructor() {
    writeChatModel(starterModel, this.model);
    for (const folder of [this.#folder.file('home'), this.reports]) mkdirSync(folder);
    for (const name of ['sources', 'bench', 'session']) {
      cpSync(path.join(REPOSITORY_ROOT, 'test/fixtures', name), path.join(this.root, name), { recursive: true });
    }
    this.files = ['sources', 'bench', 'session'].flatMap((name) =>
      listSources(`test/fixtures/${name}`, /\.(?:ts|py|cpp|h)$/).map((file) => file.replace('test/fixtures/', '')),
    );
    this.environment = {
      HOME: this.#folder.file('home'),
      USERPROFILE: this.#folder.file('home'),
      INKLING_STATE_DIR: this.state,
      INKLING_SOAK_REPORTS: this.reports,
      // As the extension starts it.
      MALLOC_ARENA_MAX: '2',
      NODE_OPTIONS: `--import ${pathToFileURL(path.join(REPOSITORY_ROOT, 'test/soak/collect-garbage.mjs')).href}`,
    };
  }

  get settings() {
    // One thread, so that the second window and the typist have a core too.
    return { modelPath: this.model, threads: 1, unloadAfterMinutes: 0 };
  }

  /** What a server holds that has nothing to do. */
  settledVitals({ pid, connection }: ServerProcess): Promise<SettledVitals> {
    return settledVitals(pid, this.reports, () => connection.sendRequest(FREE_CACHES_REQUEST));
  }

  start(): ServerProcess {
    return new ServerProcess({ environment: this.environment });
  }

  pathOf(file: string): string {
    return path.join(this.root, file);
  }

  textOf(file: string): string {
    return readFileSync(this.pathOf(file), 'utf8');
  }

  dispose(): void {
    this.#folder.dispose();
  }
}

const MOST_OPEN = 8;

/** A user's window: one server, its open documents, and the counts of what happened there. */
export class Desk {
  readonly workplace: Workplace;
  readonly server: ServerProcess;
  readonly random: SeededRandom;
  readonly ledger: RequestLedger;
  readonly #editors: Editor[] = [];
  #questions = 0;

  constructor(workplace: Workplace, random: SeededRandom, ledger: RequestLedger) {
    this.workplace = workplace;
    this.server = workplace.start();
    this.random = random;
    this.ledger = ledger;
  }

  async begin(): Promise<void> {
    await this.server.initialize(
      { ...this.workplace.settings, showsNextEdits: true },
      pathToFileURL(this.workplace.root).href,
    );
    await this.server.connection.sendNotification(WORKSPACE_NOTIFICATION, { trusted: true, exclude: [] });
    await this.server.waitForState('ready', 60_000);
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.random.below(from.length)];
    if (picked === undefined) throw new Error('Nothing to pick from');
    return picked;
  }

  /** Opens a file as it is on the disk, and closes the one that was opened first when there are many. */
  async open(file = this.pick(this.workplace.files)): Promise<Editor> {
    const name = this.workplace.pathOf(file);
    const uri = pathToFileURL(name).href;
    const opened = this.#editors.find((editor) => editor.uri === uri);
    if (opened !== undefined) return opened;
    const text = this.workplace.textOf(file);
    const editor = await Editor.open(this.server, name, LANGUAGES[path.extname(file)] ?? 'plaintext', text, 0);
    this.#editors.push(editor);
    if (this.#editors.length > MOST_OPEN) await this.close(this.#editors[0]);
    return editor;
  }

  /** A document that is open already, more often than not. */
  editor(): Promise<Editor> {
    return this.#editors.length > 2 && this.random.below(4) > 0
      ? Promise.resolve(this.pick(this.#editors))
      : this.open();
  }

  async close(editor = this.#editors[0]): Promise<void> {
    if (editor === undefined) return;
    this.#editors.splice(this.#editors.indexOf(editor), 1);
    await this.server.close(editor.uri);
  }

  async closeAll(): Promise<void> {
    this.#editors.length = 0;
    await this.server.closeAll();
  }

  async change(settings: object): Promise<void> {
    await this.server.connection.sendNotification(DidChangeConfigurationNotification.type, {
      settings: { ...this.workplace.settings, ...settings },
    });
  }

  request<T>(method: string, params?: unknown): Promise<T | null> {
    return this.ledger.expect(method, this.server.connection.sendRequest<T>(method, params));
  }

  status(): Promise<InklingStatus | null> {
    return this.ledger.expect('status', this.server.status());
  }

  /** Until the server needs nothing: after a change of settings it may load first. */
  async ready(): Promise<void> {
    // The settings are handled before the next request, and the load that they ask for begins then.
    await this.status();
    await delay(50);
    await this.ledger.expect('ready', this.server.waitForState('ready', 55_000));
  }

  questionId(): string {
    this.#questions += 1;
    return `question-${this.#questions}`;
  }
}
