// A program that test/run.mjs runs: its output is shown, its end is kept. In the background it has the lowest priority,
// takes the cores that other suites leave idle, and its output waits until it is asked for.
import { spawn } from 'node:child_process';
import { FailureExcerpt } from './failure-excerpt.mjs';

const KEPT_CHARACTERS = 4_000;

/** Those that have not ended. @type {Set<SuiteProcess>} */
const running = new Set();

/**
 * @typedef {{ exitCode: number, lastLines: string[], failures: string[], namesFailure: boolean, seconds: number }} Ended
 * the end of what was printed; its lines that name failures, or its last ones if none does; how long it ran
 */

export class SuiteProcess {
  /** @type {Promise<Ended>} */
  ended;
  #child;
  /** What waits to be shown; null once all is shown at once. */
  #held = [];

  /** @param {{ cwd: string, limitMs: number, isBackground?: boolean }} options `limitMs`: for its life */
  constructor(command, args, { cwd, limitMs, isBackground = false }) {
    const started = Date.now();
    const [program, ...rest] = isBackground ? inBackground(command, args) : [command, ...args];
    this.#child = spawn(program, rest, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      // The runner writes to a pipe, but its output appears in our terminal.
      env: process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env,
    });
    running.add(this);
    if (!isBackground) this.show();
    let tail = '';
    const excerpt = new FailureExcerpt();
    const read = (stream, target) => {
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        if (this.#held === null) target.write(chunk);
        else this.#held.push([target, chunk]);
        if (target === process.stdout) tail = `${tail}${chunk}`.slice(-KEPT_CHARACTERS);
        excerpt.add(chunk);
      });
    };
    read(this.#child.stdout, process.stdout);
    read(this.#child.stderr, process.stderr);
    this.ended = new Promise((resolve) => {
      const end = (exitCode, lastLines, failures) => {
        running.delete(this);
        const { namesFailure } = excerpt;
        resolve({ exitCode, lastLines, failures, namesFailure, seconds: (Date.now() - started) / 1000 });
      };
      this.#child.on('error', (error) => {
        console.error(`${command}: ${error.message}`);
        end(1, [], [error.message]);
      });
      this.#child.on('close', (code, signal) => {
        if (signal !== null) console.error(`${args[0]} was ended by ${signal}`);
        end(code ?? 1, tail.trimEnd().split('\n'), excerpt.lines());
      });
    });
  }

  /** Shows what it has printed so far, and from now on all at once. */
  show() {
    for (const [target, chunk] of this.#held ?? []) target.write(chunk);
    this.#held = null;
  }

  /** Ends all of this runner. */
  static endAll() {
    for (const each of running) each.end();
  }

  /** Ends it; in the background its children too. */
  end() {
    this.#child.kill('SIGTERM');
  }
}

/**
 * With the lowest priority, as far as the system has commands for that. GNU's timeout ends a whole group of processes
 * when it is ended, and gives it time to count what it has done: 10 s were too short beside other work. A session of its
 * own would do as well, but Linux shares the processor among sessions first, whatever their priority.
 */
function inBackground(command, args) {
  if (process.platform === 'win32') return [command, ...args];
  const group = process.platform === 'linux' ? ['timeout', '--kill-after=30', '0'] : [];
  return ['nice', '-n', '19', ...group, command, ...args];
}
