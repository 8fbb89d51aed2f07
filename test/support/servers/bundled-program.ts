import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { build } from 'esbuild';
import { REPOSITORY_ROOT } from '../source-tree.js';

/** A program in TypeScript that tests run in processes of their own, as the windows of a user do. */
export class BundledProgram {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * @param source path from the repository's root
   * @param folder for the bundle
   */
  static async build(source: string, folder: string): Promise<BundledProgram> {
    const outfile = path.join(folder, `${path.basename(source, '.ts')}.cjs`);
    const entryPoints = [path.join(REPOSITORY_ROOT, source)];
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'cjs', target: 'node20' });
    return new BundledProgram(outfile);
  }

  start(...args: readonly string[]): RunningProgram {
    const child = spawn(process.execPath, [this.#file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    return new RunningProgram(child);
  }
}

/** Each line that it prints is one JSON value. */
export class RunningProgram {
  readonly #child: ChildProcess;
  readonly #lines: unknown[] = [];
  #rest = '';
  readonly #ended: Promise<unknown>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    child.stdout?.on('data', (chunk: Buffer) => {
      const [rest = '', ...whole] = (this.#rest + chunk.toString()).split('\n').reverse();
      this.#rest = rest;
      this.#lines.push(...whole.reverse().map((line): unknown => JSON.parse(line)));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get lines(): readonly unknown[] {
    return this.#lines;
  }

  /** @returns all lines once it has ended */
  async end(): Promise<readonly unknown[]> {
    await this.#ended;
    return this.#lines;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
