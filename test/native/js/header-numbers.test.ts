import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { addonFile, openAddon, STARTER_MODEL } from '../../support/addon.js';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { parseGguf } from '../../support/models/gguf.js';
import { runProgram } from '../../support/servers/run-program.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const PROGRAM = path.join(REPOSITORY_ROOT, 'test/native/js/programs/header-numbers.mjs');

const UINT32 = 4;
const INT32 = 5;
const FLOAT32 = 6;
const ARRAY = 9;

const WHOLE_NUMBERS = [0, 1, 2, 3, 0x7fff_ffff, 0xffff_ffff];
const FLOATS = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e30];
/** Longer arrays are those of the vocabulary. */
const LONGEST_ARRAY = 100;

interface Change {
  readonly name: string;
  readonly at: number;
  readonly hex: string;
}

/** Each number of the header, and each short array as a whole, with each of the values. */
function changesOf(file: Buffer): readonly Change[] {
  return [...parseGguf(file).metadata].flatMap(([key, value]) => {
    const isArray = 'values' in value;
    const type = isArray ? value.elementType : value.type;
    const count = isArray ? value.values.length : 1;
    if (key.startsWith('general.') || ![UINT32, INT32, FLOAT32].includes(type) || count > LONGEST_ARRAY) return [];
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(key.length));
    const found = file.indexOf(Buffer.concat([length, Buffer.from(key)]));
    const typeAt = found + length.length + key.length;
    expect(found > 0 && file.readUInt32LE(typeAt)).toBe(isArray ? ARRAY : type);
    // An array also has the type of its elements and their number in front.
    const at = typeAt + (isArray ? 4 + 4 + 8 : 4);
    return (type === FLOAT32 ? FLOATS : WHOLE_NUMBERS).map((number) => {
      const element = Buffer.alloc(4);
      if (type === FLOAT32) element.writeFloatLE(number);
      else element.writeUInt32LE(number);
      return { name: `${key} ${number}`, at, hex: element.toString('hex').repeat(count) };
    });
  });
}

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

test.skipIf(isLeftOutDaily('a model with each number of its header changed'))(
  'whatever number a model file has in its header, it loads and completes, or says what is wrong',
  async () => {
    const changes = changesOf(readFileSync(STARTER_MODEL));
    expect(changes.length).toBeGreaterThan(100);
    const model = folder.file('model.gguf');
    copyFileSync(STARTER_MODEL, model);
    const list = folder.file('changes.json');
    writeFileSync(list, JSON.stringify(changes));
    const end = await runProgram(PROGRAM, [addonFile(openAddon().flavour), model, list]);
    const names = changes.map(({ name }) => `${name}\n`);
    expect(end).toMatchObject({ code: 0, signal: null, output: names.join('') });
  },
);
