import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { STARTER_MODEL } from './addon.js';
import { REPOSITORY_ROOT } from './source-tree.js';

const TOOL_SOURCE = path.join(REPOSITORY_ROOT, 'test/native/cpp/make_ballast.cpp');
const TOOLS = path.join(REPOSITORY_ROOT, 'build/test/native/cpp');

/** Of the starter model. */
export const STARTER_FEED_FORWARD_LENGTH = 1536;

/**
 * Makes 1.05 billion parameters of the starter model. All of its blocks have one length, the MTP block among them; its
 * step then costs 9 % of the trunk's, head included. That is a large model's share: by parameters, 18 % for a Qwen3.5 of
 * 4 billion, 14 % for 9 and 6 % for 27, whose heads are most of it.
 */
export const BALLAST_FEED_FORWARD_LENGTH = 51_200;

/** `Q4_K` keeps the starter's own blocks (Q4_K_M: some are Q6_K); `Q8_0` requantizes all of it. */
export type BallastQuantization = 'Q4_K' | 'Q8_0';

export const BALLAST_QUANTIZATIONS: readonly BallastQuantization[] = ['Q4_K', 'Q8_0'];

/**
 * The starter model with its feed-forward layers padded by zeros to this length: it says exactly what the same
 * quantization of the starter says, at the cost of a larger model. Kept in the cache, under a name that changes with
 * whatever determines the file.
 *
 * @returns the path of the GGUF file
 */
export async function ballastModel(
  quantization: BallastQuantization,
  feedForwardLength = BALLAST_FEED_FORWARD_LENGTH,
): Promise<string> {
  if (quantization === 'Q4_K' && feedForwardLength === STARTER_FEED_FORWARD_LENGTH) return STARTER_MODEL;
  const folder = path.join(process.env.INKLING_CACHE_DIR ?? path.join(REPOSITORY_ROOT, '.cache'), 'ballast');
  const prefix = `${quantization.toLowerCase()}-${feedForwardLength}-`;
  const file = path.join(folder, `${prefix}${await digest([STARTER_MODEL, TOOL_SOURCE])}.gguf`);
  if (existsSync(file)) return file;

  await mkdir(folder, { recursive: true });
  // Made from another model or by another tool: nobody will ask for them again.
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix) && name.endsWith('.gguf')) await rm(path.join(folder, name));
  }
  await requireSpace(folder, feedForwardLength);
  // A file that is there is whole, whoever else makes it at the same time.
  const unfinished = `${file}.${process.pid}`;
  try {
    const conversion = quantization === 'Q8_0' ? 'q8_0' : 'keep';
    await promisify(execFile)(tool(), [STARTER_MODEL, unfinished, String(feedForwardLength), conversion]);
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

/** At most what the weights take at nine bits each, three matrices of 512 columns in each of 13 blocks. */
async function requireSpace(folder: string, feedForwardLength: number): Promise<void> {
  const needed = 64 * 2 ** 20 + (13 * 3 * 512 * feedForwardLength * 9) / 8;
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= needed) return;
  const show = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  throw new Error(`${folder} has ${show(bavail * bsize)} left; the ballast model needs ${show(needed)}`);
}

function tool(): string {
  const names = ['make_ballast', 'make_ballast.exe', 'Release/make_ballast.exe'];
  const found = names.map((name) => path.join(TOOLS, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`there is no make_ballast in ${TOOLS}; build it: npm run build:native`);
  return found;
}
