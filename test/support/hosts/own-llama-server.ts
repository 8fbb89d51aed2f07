import { existsSync } from 'node:fs';
import path from 'node:path';
import { isLeftOutDaily } from '../left-out-daily.js';
import { REPOSITORY_ROOT } from '../source-tree.js';

const program = path.join(REPOSITORY_ROOT, 'build/bin/llama-server');

/**
 * The llama-server built from the addon's own objects of llama and ggml. Null if it was not built or is left out daily,
 * and an error if it was not built but is required.
 */
export function ownLlamaServer(): string | null {
  const isRequired = process.env.INKLING_LLAMA_SERVER === 'required';
  if (!isRequired && isLeftOutDaily('the tests against a real llama-server')) return null;
  if (existsSync(program)) return program;
  const reason = 'there is no llama-server for the tests against one; build it: npm run build:llama-server';
  if (isRequired) throw new Error(reason);
  console.warn(`SKIPPED: ${reason}`);
  return null;
}
