// Loads a model once for each change of its header, and completes if it loads: `node header-numbers.mjs ADDON MODEL
// CHANGES`. MODEL is changed in place; CHANGES is a JSON file of `{ name, at, hex }`: bytes of the file from `at` on.
// Prints the name of each change before its load, so that the last line names the one that ended the process.
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

const [addonFile, modelPath, changesFile] = process.argv.slice(2);
const addon = createRequire(import.meta.url)(addonFile);
const PROMPT = { prompt: [1, 2, 3, 4, 5, 6, 7, 8, 9], maxTokens: 6 };

const file = openSync(modelPath, 'r+');
for (const { name, at, hex } of JSON.parse(readFileSync(changesFile, 'utf8'))) {
  const bytes = Buffer.from(hex, 'hex');
  const original = Buffer.alloc(bytes.length);
  readSync(file, original, 0, bytes.length, at);
  writeSync(file, bytes, 0, bytes.length, at);
  writeSync(1, `${name}\n`);
  const engine = new addon.Engine();
  try {
    await engine.load({ path: modelPath, contextLength: 512 });
    await engine.generate(PROMPT).result;
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
  } finally {
    await engine.close();
  }
  writeSync(file, original, 0, original.length, at);
}
closeSync(file);
