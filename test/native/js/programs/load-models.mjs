// Loads models and completes with them: `node load-models.mjs ADDON`, by `fork`. For each message, which is the path of
// a file, it answers with `{ step, code, message }` of what failed, or with 'nothing'.
import { createRequire } from 'node:module';

const addon = createRequire(import.meta.url)(process.argv[2]);
const TEXT =
  'export function add(a: number, b: number) {\n\treturn a + b; // été 中文 🦑 12345\n}\n\nconst sum = add(1, ';

async function use(path) {
  let step = 'estimate';
  const options = { path, contextLength: 512, threads: 1, requireFim: false };
  const engine = new addon.Engine();
  try {
    await addon.estimateMemory(options);
    step = 'load';
    const { fim, vocabularySize } = await engine.load(options);
    step = 'use';
    await engine.detokenize(await engine.tokenize(TEXT), { special: true });
    const all = Int32Array.from({ length: vocabularySize }, (_, token) => token);
    await engine.detokenize(all, { special: true });
    const prompt = fim === null ? [TEXT] : [fim.prefix, TEXT, fim.suffix, ');\n', fim.middle];
    await engine.generate({ prompt, maxTokens: 6, heal: true }).result;
    return null;
  } catch (error) {
    return { step, code: error.code ?? 'none', message: error.message };
  } finally {
    await engine.close();
  }
}

process.on('message', async (path) => process.send((await use(path)) ?? 'nothing'));
