// What `npm run package` is asked for.
import { parseArgs } from 'node:util';
import { HOST, TARGETS } from '../native/targets.mjs';
import { NEWEST_GLIBC } from './native-binary.mjs';

/**
 * @param {readonly string[]} args
 * @returns {{ target: string, newestGlibc: string, file: string | null }} `file` is null for the usual name
 * @throws Error for what makes no sense, in words
 */
export function packageArguments(args) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { target: { type: 'string', default: HOST }, 'max-glibc': { type: 'string', default: NEWEST_GLIBC } },
    allowPositionals: true,
  });
  const { target, 'max-glibc': newestGlibc } = values;
  if (!TARGETS.includes(target)) throw new Error(`there is no target ${target}, only ${TARGETS.join(', ')}`);
  if (!/^\d+\.\d+$/.test(newestGlibc)) {
    throw new Error(`--max-glibc takes a version such as ${NEWEST_GLIBC}, not ${newestGlibc}`);
  }
  const [file = null, ...more] = positionals;
  if (more.length > 0) throw new Error('one FILE at a time');
  if (file !== null && !file.endsWith('.vsix')) {
    throw new Error(`${file} does not end with .vsix; options come after \`--\`: npm run package -- --target TARGET`);
  }
  return { target, newestGlibc, file };
}
