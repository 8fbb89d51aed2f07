import { createHash } from 'node:crypto';
import type { ShareMode } from '../../../protocol/index.js';
import { splitPaths } from '../../models/gguf/split-file.js';
import { type FileIdentity, identify } from '../../models/safety/file-identity.js';
import type { LoadRequest } from '../port/engine.js';
import { PROTOCOL_VERSION } from './wire/messages.js';

/** With `auto`, larger models are shared: a small one costs less than the way to another process. */
const SHARED_FROM_BYTES = 500e6;

/** What makes two engines differ besides model and settings. */
export interface Build {
  /** Inkling's version. */
  readonly version: string;
  /** `INKLING_CPU_FLAVOUR`; empty for the best. */
  readonly flavour: string;
  /** The devices that loads are planned for. */
  readonly place: string;
}

/**
 * The name under which windows find each other. Only those with the same files, the same settings and the same version
 * get the same name. What a server chooses by itself, such as the context's length, belongs to the owner.
 *
 * @returns null where the model is not shared, or its file is missing
 */
export async function sharedName(requested: LoadRequest, build: Build): Promise<string | null> {
  if (requested.remote !== undefined || requested.share === undefined || requested.share === 'off') return null;
  const files: FileIdentity[] = [];
  // One after the other: a name may count parts that do not exist.
  for (const path of splitPaths(requested.path)) {
    const file = await identify(path);
    if (file === null) return null;
    files.push(file);
  }
  return isShared(requested.share, files) ? nameOf(requested, files, build) : null;
}

export function isShared(mode: ShareMode, files: readonly FileIdentity[]): boolean {
  switch (mode) {
    case 'on':
      return true;
    case 'off':
      return false;
    case 'auto':
      return files.reduce((sum, { size }) => sum + size, 0) > SHARED_FROM_BYTES;
  }
}

export function nameOf(
  {
    contextLength = 0,
    chatContextLength = 0,
    threads = 0,
    gpuLayers = -1,
    requireFim = true,
    budgetBytes = 0,
  }: LoadRequest,
  files: readonly FileIdentity[],
  { version, flavour, place }: Build,
): string {
  const settings = { contextLength, chatContextLength, threads, gpuLayers, requireFim, budgetBytes };
  const identities = files.map(({ path, size, mtimeMs }) => [path, size, mtimeMs]);
  const text = JSON.stringify([PROTOCOL_VERSION, version, flavour, place, identities, settings]);
  return createHash('sha256').update(text).digest('hex').slice(0, NAME_LENGTH);
}

/** The path of a socket has about a hundred characters. */
export const NAME_LENGTH = 24;
