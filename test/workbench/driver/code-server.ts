import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { descendants, isRunning, type RunningProcess, sendSignal, waitForEnd } from './processes.js';
import { MACHINE_SETTINGS, USER_SETTINGS } from './user-settings.js';

/** The programs of an installation, from install.mjs. */
export interface Workbench {
  readonly node: string;
  /** code-server's script. */
  readonly entry: string;
  /** Whether it is the oldest release that the extension admits, not the newest. */
  readonly isOldest: boolean;
}

/**
 * For the page's `logLevel`: makes the channel `Inkling` log every message. The oldest VS Code gives an extension's
 * channels the level of the window instead of their own.
 */
export function inklingTrace({ isOldest }: Workbench): string {
  return isOldest ? 'trace' : 'inkling.inkling:trace';
}

/** Added to the settings of all tests. */
export interface ExtraSettings {
  readonly userSettings?: Readonly<Record<string, unknown>>;
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Folders are in Restricted Mode until the user trusts them; without it, all are trusted. */
  readonly restricts?: boolean;
}

const START_TIME_LIMIT_MS = 60_000;
const END_TIME_LIMIT_MS = 10_000;
const INSTALL_TIME_LIMIT_MS = 120_000;

/** One code-server with its own user data, extensions and home folder, all below `folder`. */
export class CodeServer {
  readonly extensionsFolder: string;
  readonly #dataFolder: string;
  readonly #logFile: string;
  #child: ChildProcess | undefined;
  /** Ends the server's whole process group when this process ends. */
  readonly #killOnExit = () => {
    if (this.#child?.pid !== undefined) sendSignal(-this.#child.pid, 'SIGKILL');
  };

  readonly #workbench: Workbench;
  readonly #folder: string;
  readonly #restricts: boolean;

  constructor(workbench: Workbench, folder: string, settings: ExtraSettings = {}) {
    this.#restricts = settings.restricts ?? false;
    this.#workbench = workbench;
    this.#folder = folder;
    this.#dataFolder = path.join(folder, 'data');
    this.extensionsFolder = path.join(folder, 'extensions');
    this.#logFile = path.join(folder, 'code-server.log');
    for (const each of [this.extensionsFolder, path.join(folder, 'home')]) mkdirSync(each, { recursive: true });
    writeFileSync(path.join(folder, 'config.yaml'), 'auth: none\ncert: false\n');
    this.#writeSettings('User', { ...USER_SETTINGS, ...settings.userSettings });
    this.#writeSettings('Machine', { ...MACHINE_SETTINGS, ...settings.machineSettings });
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('code-server does not run');
    return this.#child.pid;
  }

  /** @returns the folder with the unpacked extension */
  async install(vsix: string): Promise<string> {
    const args = [this.#workbench.entry, ...this.#commonArguments(), '--install-extension', vsix, '--force'];
    await promisify(execFile)(this.#workbench.node, args, { env: this.#environment(), timeout: INSTALL_TIME_LIMIT_MS });
    const unpacked = readdirSync(this.extensionsFolder, { withFileTypes: true }).filter((each) => each.isDirectory());
    if (unpacked.length !== 1) throw new Error(`expected one extension, found ${unpacked.map(({ name }) => name)}`);
    return path.join(this.extensionsFolder, unpacked[0]!.name);
  }

  /**
   * Starts on a port chosen by the system.
   *
   * @param options of the VS Code server after code-server
   * @param variables of the extension host's environment
   * @returns host and port
   */
  async start(options: readonly string[] = [], variables: NodeJS.ProcessEnv = {}): Promise<string> {
    const log = openSync(this.#logFile, 'a');
    const { isOldest } = this.#workbench;
    const environment = { ...this.#environment(), ...variables };
    // From install.mjs: that release has no argument for them.
    if (isOldest)
      environment.CODE_SERVER_VSCODE_OPTIONS = JSON.stringify(Object.fromEntries(options.map((each) => [each, true])));
    this.#child = spawn(
      this.#workbench.node,
      [
        this.#workbench.entry,
        ...this.#commonArguments(),
        ...['--bind-addr', '127.0.0.1:0', '--session-socket', path.join(this.#folder, 'session.sock')],
        ...['--disable-telemetry', '--disable-update-check'],
        ...(this.#restricts ? [] : ['--disable-workspace-trust']),
        '--disable-getting-started-override',
        ...(isOldest ? [] : options.flatMap((option) => ['--vscode-option', option])),
      ],
      // A separate process group, so that one id ends all of it.
      { detached: true, env: environment, stdio: ['ignore', log, log] },
    );
    closeSync(log);
    const failed = new Promise<never>((_, reject) => {
      this.#child?.on('error', reject);
    });
    process.on('exit', this.#killOnExit);
    return Promise.race([this.#waitForAddress(), failed]);
  }

  /**
   * Sets a display language other than English. Its language pack is empty: VS Code stays English, and extensions show
   * their own translations.
   */
  useLanguage(language: string): void {
    const texts = path.join(this.#dataFolder, `${language}.i18n.json`);
    writeFileSync(texts, JSON.stringify({ version: '1.0.0', contents: {} }));
    // VS Code looks the pack's extension up by id, and scans no extensions if it is missing.
    const extensions = [{ extensionIdentifier: { id: `test.language-pack-${language}` }, version: '1.0.0' }];
    const pack = { hash: `inkling-${language}`, label: language, extensions, translations: { vscode: texts } };
    writeFileSync(path.join(this.#dataFolder, 'languagepacks.json'), JSON.stringify({ [language]: pack }));
    writeFileSync(path.join(this.#dataFolder, 'User', 'argv.json'), JSON.stringify({ locale: language }));
  }

  /**
   * Processes below the server whose command line contains the text. One that has just been forked has its parent's
   * until it runs its own program, and is left out.
   */
  processesWith(text: string): RunningProcess[] {
    const found = descendants(this.pid).filter(({ commandLine }) => commandLine.includes(text));
    const isForked = ({ parentPid, commandLine }: RunningProcess) =>
      found.some((other) => other.pid === parentPid && other.commandLine === commandLine);
    return found.filter((each) => !isForked(each));
  }

  /** Ends the server and everything below it. Safe in every state. */
  async stop(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    const all = [pid, ...descendants(pid).map((each) => each.pid)];
    sendSignal(-pid, 'SIGTERM');
    for (const survivor of await waitForEnd(all, END_TIME_LIMIT_MS)) sendSignal(survivor, 'SIGKILL');
    const immortal = await waitForEnd(all, END_TIME_LIMIT_MS);
    if (immortal.length > 0) throw new Error(`processes ${immortal.join(', ')} do not end`);
    process.off('exit', this.#killOnExit);
    this.#child = undefined;
  }

  log(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8') : '';
  }

  /** The newest log of the output channel `Inkling`, from VS Code's file. */
  inklingLog(): string {
    const logs = path.join(this.#dataFolder, 'logs');
    if (!existsSync(logs)) return '';
    const files = readdirSync(logs, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(path.join('inkling.inkling', 'Inkling.log')))
      .sort();
    const newest = files.at(-1);
    return newest === undefined ? '' : readFileSync(path.join(logs, newest), 'utf8');
  }

  #writeSettings(scope: 'User' | 'Machine', settings: Readonly<Record<string, unknown>>): void {
    mkdirSync(path.join(this.#dataFolder, scope), { recursive: true });
    writeFileSync(path.join(this.#dataFolder, scope, 'settings.json'), JSON.stringify(settings, undefined, 2));
  }

  async #waitForAddress(): Promise<string> {
    const deadline = Date.now() + START_TIME_LIMIT_MS;
    while (Date.now() < deadline && isRunning(this.pid)) {
      const address = /HTTP server listening on http:\/\/(127\.0\.0\.1:\d+)/.exec(this.log())?.[1];
      if (address !== undefined) return address;
      await delay(50);
    }
    throw new Error(`code-server did not start:\n${this.log()}`);
  }

  #commonArguments(): string[] {
    return [
      // Otherwise code-server would read and write the user's own file.
      ...['--config', path.join(this.#folder, 'config.yaml')],
      ...['--auth', 'none', '--user-data-dir', this.#dataFolder, '--extensions-dir', this.extensionsFolder],
    ];
  }

  /** Without variables of an editor, npm or code-server that runs this test. */
  #environment(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(vscode_|electron_|npm_|xdg_|code_server_|node_options$|port$|password$)/i.test(name),
    );
    return {
      ...Object.fromEntries(inherited),
      HOME: path.join(this.#folder, 'home'),
      PATH: [path.dirname(this.#workbench.node), process.env.PATH].join(path.delimiter),
    };
  }
}
