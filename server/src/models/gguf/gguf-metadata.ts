import { t } from '../../../protocol/index.js';
import { FIM_ID_KEYS, type FimRole, fimRoleOf, LONGEST_FIM_SPELLING_BYTES, mayBeFim } from './fim-vocabulary.js';
import { GgufCutShort, GgufDamage, type GgufReader } from './gguf-reader.js';
import { ARRAY_VALUE, STRING_VALUE, VALUE_BYTES } from './gguf-types.js';

/** The needed part of a file's metadata: some texts and all numbers by key, and facts of the vocabulary. */
export interface GgufMetadata {
  readonly strings: ReadonlyMap<string, string>;
  readonly numbers: ReadonlyMap<string, number>;
  /** Roles with a token. */
  readonly fimRoles: ReadonlySet<FimRole>;
  /** Tokens; 0 without a vocabulary. */
  readonly vocabularySize: number;
  /** As the file lists them; empty without a list, or with one that is no list of short texts. */
  readonly languages: readonly string[];
}

const MAX_ENTRIES = 65_536;

/** The format's own limit. */
const MAX_KEY_BYTES = 65_535;
/** Keys of numbers that are kept are an architecture's name and a few words. */
const MAX_KEPT_KEY = 256;

/** Others may have megabytes, and many of them. */
const WANTED_STRINGS: ReadonlySet<string> = new Set([
  'general.architecture',
  'general.name',
  'inkling.next_edit_format',
  'tokenizer.chat_template',
]);

const VOCABULARY_KEY = 'tokenizer.ggml.tokens';

const LANGUAGES_KEY = 'general.languages';

/** A longer list, or one with a longer entry, counts as none: what is cut off would seem unknown to the model. */
const MAX_LANGUAGES = 256;
const MAX_LANGUAGE_BYTES = 64;

/** Reads `entryCount` entries. Skips arrays, except that it looks for FIM tokens in the vocabulary. */
export async function readMetadata(reader: GgufReader, entryCount: number): Promise<GgufMetadata> {
  if (entryCount > MAX_ENTRIES) throw new GgufDamage(t('{0} metadata entries are too many', entryCount));
  const strings = new Map<string, string>();
  const numbers = new Map<string, number>();
  const fimRoles = new Set<FimRole>();
  let vocabularySize = 0;
  let languages: readonly string[] = [];
  for (let entry = 0; entry < entryCount; entry += 1) {
    const key = await reader.string(MAX_KEY_BYTES);
    const type = await reader.readU32();
    if (type === STRING_VALUE) {
      if (WANTED_STRINGS.has(key)) strings.set(key, await reader.string());
      else reader.skip(await reader.stringLength());
    } else if (type !== ARRAY_VALUE) {
      const value = await readNumber(reader, type);
      if (key.length <= MAX_KEPT_KEY) numbers.set(key, value);
      const role = FIM_ID_KEYS[key];
      if (role !== undefined) fimRoles.add(role);
    } else {
      const elementType = await reader.readU32();
      const length = await reader.readCount();
      if (key === VOCABULARY_KEY) vocabularySize = length;
      if (key === LANGUAGES_KEY && elementType === STRING_VALUE && length <= MAX_LANGUAGES) {
        languages = await readLanguages(reader, length);
      } else {
        await passArray(reader, elementType, length, key === VOCABULARY_KEY ? fimRoles : null);
      }
    }
  }
  return { strings, numbers, fimRoles, vocabularySize, languages };
}

async function readNumber(reader: GgufReader, type: number): Promise<number> {
  const bytes = valueBytes(type);
  await reader.need(bytes);
  const view = reader.view(bytes);
  switch (type) {
    case 1:
      return view.readInt8(0);
    case 3:
      return view.readInt16LE(0);
    case 5:
      return view.readInt32LE(0);
    case 6:
      return view.readFloatLE(0);
    case 11:
      return Number(view.readBigInt64LE(0));
    case 12:
      return view.readDoubleLE(0);
    default:
      return bytes === 8 ? Number(view.readBigUInt64LE(0)) : view.readUIntLE(0, bytes);
  }
}

async function readLanguages(reader: GgufReader, length: number): Promise<readonly string[]> {
  const languages: string[] = [];
  for (let element = 0; element < length; element += 1) {
    const bytes = await reader.stringLength();
    if (bytes <= MAX_LANGUAGE_BYTES) {
      await reader.need(bytes);
      languages.push(reader.view(bytes).toString('utf8'));
    } else {
      reader.skip(bytes);
    }
  }
  return languages.length === length ? languages : [];
}

function valueBytes(type: number): number {
  const bytes = VALUE_BYTES[type];
  if (bytes === undefined) throw new GgufDamage(t('the value type {0} is unknown', type));
  return bytes;
}

/** @param fimRoles receives the roles of the tokens; null for an array that is not a vocabulary */
async function passArray(
  reader: GgufReader,
  elementType: number,
  length: number,
  fimRoles: Set<FimRole> | null,
): Promise<void> {
  if (elementType !== STRING_VALUE) {
    if (elementType === ARRAY_VALUE) throw new GgufDamage(t('it contains nested arrays'));
    reader.skip(length * valueBytes(elementType));
    return;
  }
  // Each string takes at least the 8 bytes of its length.
  if (length * 8 > reader.fileBytes - reader.position) throw new GgufCutShort();
  const look = (token: string): void => {
    const role = fimRoleOf(token);
    if (role !== null) fimRoles?.add(role);
  };
  const fimTokens = { mostBytes: LONGEST_FIM_SPELLING_BYTES, mayBe: mayBeFim, look };
  await reader.passStrings(length, fimRoles === null ? null : fimTokens);
}
