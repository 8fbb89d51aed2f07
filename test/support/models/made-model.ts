import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { STARTER_MODEL } from '../addon.js';
import { REPOSITORY_ROOT } from '../source-tree.js';

const TOOL_SOURCES = path.join(REPOSITORY_ROOT, 'test/native/cpp');
const TOOLS = path.join(REPOSITORY_ROOT, 'build/test/native/cpp');

export interface MadeModel {
  /** Of the file, without the part that identifies its version. */
  readonly name: string;
  /** A program in test/native/cpp/models. It gets the starter model, the output file and `args`. */
  readonly tool: 'make_ballast' | 'make_tiny_model';
  readonly args: readonly string[];
  /** Files in test/native/cpp that determine the model besides the starter model and `args`. */
  readonly sources: readonly string[];
  /** At most. */
  readonly bytes: number;
}

/**
 * A GGUF file made from the starter model. The cache keeps it under a name that changes with its inputs.
 *
 * @returns its path
 */
export async function madeModel({ name, tool, args, sources, bytes }: MadeModel): Promise<string> {
  const folder = path.join(process.env.INKLING_CACHE_DIR ?? path.join(REPOSITORY_ROOT, '.cache'), 'ballast');
  const files = [STARTER_MODEL, ...sources.map((source) => path.join(TOOL_SOURCES, source))];
  const file = path.join(folder, `${name}-${await digest(files)}.gguf`);
  if (existsSync(file)) return file;

  await mkdir(folder, { recursive: true });
  // Made from another model or by another version of the tool: no longer needed.
  for (const each of await readdir(folder)) {
    if (each.startsWith(`${name}-`) && each.endsWith('.gguf')) await rm(path.join(folder, each));
  }
  await requireSpace(folder, bytes);
  // A file under its final name is complete, even if several processes make it at once.
  const unfinished = `${file}.${process.pid}`;
  try {
    await promisify(execFile)(program(tool), [STARTER_MODEL, unfinished, ...args]);
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
  return file;
}

async function digest(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) await pipeline(createReadStream(file), hash, { end: false });
  return hash.digest('hex').slice(0, 12);
}

async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const show = (count: number): string => `${(count / 2 ** 30).toFixed(1)} GiB`;
  throw new Error(`${folder} has ${show(bavail * bsize)} left; the model needs ${show(bytes)}`);
}

function program(tool: string): string {
  const names = [tool, `${tool}.exe`, `Release/${tool}.exe`];
  const found = names.map((name) => path.join(TOOLS, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`there is no ${tool} in ${TOOLS}; build it: npm run build:native`);
  return found;
}
