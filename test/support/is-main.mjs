import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Whether a module is the script that was started. Node names a module by its real path, and the script as it was typed:
 * in a checkout behind a link the two differ.
 *
 * @param {string} url `import.meta.url`
 * @returns {boolean}
 */
export function isMain(url) {
  const script = process.argv[1];
  try {
    return script !== undefined && realpathSync(script) === fileURLToPath(url);
  } catch {
    // Without a script, it is any argument.
    return false;
  }
}
