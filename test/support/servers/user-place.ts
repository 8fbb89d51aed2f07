import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { TemporaryFolder } from '../temporary-folder.js';
import { ServerProcess, type ServerProcessOptions, starterModel } from './server-process.js';

/** One user of this machine: servers that share a home and a state folder, and what they leave behind. */
export class UserPlace {
  readonly #folder = new TemporaryFolder();
  readonly #servers: ServerProcess[] = [];
  readonly home = this.#folder.path;
  readonly state: string;

  /** @param state the servers' state folder; by default one in the home */
  constructor(state = path.join(this.home, 'state')) {
    this.state = state;
  }

  file(name: string): string {
    return this.#folder.file(name);
  }

  start({ environment = {}, ...options }: ServerProcessOptions = {}): ServerProcess {
    const own = { INKLING_STATE_DIR: this.state, HOME: this.home, XDG_RUNTIME_DIR: this.home };
    const server = new ServerProcess({ environment: { ...own, ...environment }, ...options });
    this.#servers.push(server);
    return server;
  }

  /** The starter model under another name, so that it is a model of the user's. A server may have it mapped already. */
  ownModel(): string {
    const file = this.file('own.gguf');
    if (!existsSync(file)) copyFileSync(starterModel, file);
    return file;
  }

  /** Processes that know this state folder: servers and their helpers. Only Linux tells. */
  processesLeft(): readonly string[] {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc').filter((name) => {
      try {
        return (
          /^\d+$/.test(name) &&
          readFileSync(`/proc/${name}/environ`, 'utf8').includes(`INKLING_STATE_DIR=${this.state}`)
        );
      } catch {
        // It has ended.
        return false;
      }
    });
  }

  async dispose(): Promise<void> {
    for (const server of this.#servers) await server.dispose();
    this.#folder.dispose();
  }
}

/** JSON files in a state folder that hold no JSON. A server that ends soon may have written nothing. */
export function damagedFiles(state: string): readonly string[] {
  return stateFiles(state).filter((name) => {
    try {
      JSON.parse(readFileSync(path.join(state, name), 'utf8'));
      return false;
    } catch {
      return true;
    }
  });
}

export function stateFiles(state: string): readonly string[] {
  if (!existsSync(state)) return [];
  return readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
}
