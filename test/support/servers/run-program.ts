import { spawn } from 'node:child_process';

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

const TIME_LIMIT_MS = 150_000;

/** Runs a Node program to its end. A program that takes too long is killed, as its signal shows. */
export function runProgram(
  file: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
) {
  return new Promise<ProgramEnd>((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeOptions, file, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, output, errors }));
  });
}
