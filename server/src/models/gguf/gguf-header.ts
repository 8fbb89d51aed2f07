import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { cutText, isLanguageId, t } from '../../../protocol/index.js';
import { EngineError } from '../../engine/port/engine-error.js';
import { errorCode } from '../../util/error-code.js';
import { canFillInTheMiddle } from './fim-vocabulary.js';
import { type GgufMetadata, readMetadata } from './gguf-metadata.js';
import { GgufCutShort, GgufDamage, GgufReader } from './gguf-reader.js';
import { addTensors, readTensors, type TensorSummary } from './gguf-tensors.js';
import { fileTypeName } from './gguf-types.js';
import { splitPaths } from './split-file.js';

/** The facts in a model file, or in all parts of one, read without loading it. */
export interface GgufHeader {
  /** All parts in order; one for an unsplit file. */
  readonly paths: readonly string[];
  /** The sum of all parts. */
  readonly fileBytes: number;
  readonly architecture: string;
  readonly name: string;
  /** Such as `Q4_K_M`. */
  readonly quantization: string;
  readonly parameterCount: number;
  /** Parameters used for each token. */
  readonly activeParameterCount: number;
  readonly tensorBytes: number;
  readonly work: ModelWork;
  /** Tokens; 0 if the file does not say. */
  readonly trainingContextLength: number;
  readonly vocabularySize: number;
  readonly kvElementsPerToken: number;
  readonly recurrent: boolean;
  /** How the model makes one vector, or a score, of a text; null for a model that writes text. */
  readonly pooling: 'embedding' | 'reranker' | null;
  readonly fim: boolean;
  readonly mtp: boolean;
  readonly chat: boolean;
  /** Jinja; null without one. */
  readonly chatTemplate: string | null;
  /** Id of the token that ends a text; null where the file names none. */
  readonly eosToken: number | null;
  /** How the model is asked for next edits; null where the file does not say, or not in a word. */
  readonly nextEditFormat: string | null;
  /** VS Code's ids of the languages that the model says it knows; null where it does not say. */
  readonly languages: readonly string[] | null;
  /** Tokens of the longest text in its training, if the file says that of itself besides its context; else null. */
  readonly trainedLength: number | null;
}

/** What a model costs for each token: it decides how fast a machine is with it. */
export interface ModelWork {
  /** Weights that decoding reads, without drafts; only the used share of the experts. */
  readonly decodeBytes: number;
  /** Weights that each token of a prompt is multiplied with. */
  readonly prefillParameters: number;
  /** It takes longer for each of them: most have no kernel of ours, or there are recurrent layers or experts. */
  readonly slowPrefill: boolean;
}

export interface ReadOptions {
  /** Accepts the header without the tensors, for a file that is still being downloaded. */
  readonly partial?: boolean;
  /** With `partial`: what the other parts will have, in bytes. Nearly all of it is tensors. */
  readonly otherBytes?: number;
}

interface Part {
  readonly metadata: GgufMetadata;
  readonly tensors: TensorSummary;
  readonly fileBytes: number;
}

/** A pipe may have taken the file's place: opening it would wait until a program writes to it. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const MAGIC = 0x46554747;
/** What a clone of a repository without Git LFS has in place of a large file. */
const LFS_POINTER = 'version https://git-lfs';
const VERSIONS = [2, 3];
const DEFAULT_ALIGNMENT = 32;

/** In UTF-16 units: files may claim any, and both stand in rows and messages. */
const LONGEST_NAME = 128;
const LONGEST_ARCHITECTURE = 64;

/**
 * Reads the header of a GGUF, of all parts if it is split. Reads a bounded number of bytes, whatever the file claims.
 *
 * @param path of the file, or of any part
 * @throws EngineError `fileNotFound`, `notGguf`, `truncatedFile`, `loadFailed`
 */
export async function readGgufHeader(
  path: string,
  { partial = false, otherBytes = 0 }: ReadOptions = {},
): Promise<GgufHeader> {
  const paths = splitPaths(path);
  const first = await readPart(paths[0] ?? path, partial);
  let { tensors, fileBytes } = first;
  if (partial) {
    tensors = { ...tensors, tensorBytes: tensors.tensorBytes + otherBytes };
    return describe(paths, first.metadata, tensors, fileBytes + otherBytes);
  }
  for (const other of paths.slice(1)) {
    const part = await readPart(other, partial);
    tensors = addTensors(tensors, part.tensors);
    fileBytes += part.fileBytes;
  }
  return describe(paths, first.metadata, tensors, fileBytes);
}

function describe(
  paths: readonly string[],
  { strings, numbers, fimRoles, vocabularySize, languages }: GgufMetadata,
  tensors: TensorSummary,
  fileBytes: number,
): GgufHeader {
  const [path = ''] = paths;
  const architecture = (strings.get('general.architecture') ?? '').slice(0, LONGEST_ARCHITECTURE);
  if (architecture === '') throw new EngineError('notGguf', t('{0} does not name a model architecture', path));
  const number = (key: string): number => numbers.get(`${architecture}.${key}`) ?? 0;
  const usedShare = shareOf(number('expert_used_count'), number('expert_count'));
  const { parameterCount, expertParameterCount } = tensors;
  const chatTemplate = strings.get('tokenizer.chat_template') ?? '';
  const name = strings.get('general.name') ?? basename(path).replace(/(-\d{5}-of-\d{5})?\.gguf$/i, '');
  return {
    paths,
    fileBytes,
    architecture,
    name: cutText(name, LONGEST_NAME),
    quantization: fileTypeName(numbers.get('general.file_type') ?? null) ?? tensors.dominantType ?? 'unknown',
    parameterCount,
    activeParameterCount: Math.round(parameterCount - expertParameterCount * (1 - usedShare)),
    tensorBytes: tensors.tensorBytes,
    work: workOf(tensors, usedShare),
    trainingContextLength: wholeTokens(number('context_length')),
    vocabularySize,
    kvElementsPerToken: tensors.kvElementsPerToken,
    recurrent: tensors.hasRecurrentState,
    fim: canFillInTheMiddle(fimRoles, name, path),
    pooling: poolingOf(number('pooling_type')),
    mtp: number('nextn_predict_layers') > 0 && tensors.hasMtpBlock,
    eosToken: numbers.get('tokenizer.ggml.eos_token_id') ?? null,
    nextEditFormat: nextEditFormatOf(strings.get('inkling.next_edit_format')),
    chat: chatTemplate !== '',
    chatTemplate: chatTemplate === '' ? null : chatTemplate,
    languages: codeLanguages(languages),
    trainedLength: trainedLength(numbers),
  };
}

/** 0 for what is no length. */
function wholeTokens(length: number): number {
  return Number.isFinite(length) && length > 0 ? Math.floor(length) : 0;
}

/** From 0 to 1, whatever numbers the file has. */
function shareOf(used: number, all: number): number {
  const share = all > 0 ? used / all : 1;
  return Number.isNaN(share) ? 1 : Math.min(1, Math.max(0, share));
}

/** The table of tokens gives one row, and only the last token of a prompt needs the output head. */
function workOf({ layers, experts, headBytes, hasRecurrentState }: TensorSummary, usedShare: number): ModelWork {
  return {
    decodeBytes: Math.round(layers.bytes - experts.bytes * (1 - usedShare) + headBytes),
    prefillParameters: Math.round(layers.parameters - experts.parameters * (1 - usedShare)),
    slowPrefill: hasRecurrentState || experts.parameters > 0 || layers.fastParameters < layers.parameters / 2,
  };
}

function nextEditFormatOf(text: string | undefined): string | null {
  return text !== undefined && /^[\w.-]{1,32}$/.test(text) ? text : null;
}

/**
 * Other files list human languages there, as ISO 639 has them, and such a list says nothing of code. So most entries
 * must be programming languages that Inkling has heard of.
 */
function codeLanguages(listed: readonly string[]): readonly string[] | null {
  const known = listed.filter(isLanguageId).length;
  return known * 2 > listed.length ? [...new Set(listed)] : null;
}

function trainedLength(numbers: ReadonlyMap<string, number>): number | null {
  const length = numbers.get('inkling.training_context_length') ?? 0;
  return Number.isSafeInteger(length) && length > 0 ? length : null;
}

/** @param type as in llama.cpp: 0 for none, 4 for a score, and several kinds of vectors */
function poolingOf(type: number): GgufHeader['pooling'] {
  if (type === 4) return 'reranker';
  return type > 0 ? 'embedding' : null;
}

async function readPart(path: string, partial: boolean): Promise<Part> {
  const handle = await openModel(path);
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new EngineError('notGguf', t('{0} is not a file', path));
    return await parsePart(path, new GgufReader(handle, status.size), partial);
  } catch (thrown) {
    if (thrown instanceof GgufDamage) throw new EngineError('notGguf', t('{0} is damaged: {1}', path, thrown.message));
    if (thrown instanceof GgufCutShort) {
      throw new EngineError(
        'truncatedFile',
        t('{0} is incomplete: it ends within its header. Download it again', path),
      );
    }
    throw asEngineError(thrown, path);
  } finally {
    await handle.close();
  }
}

async function openModel(path: string): Promise<FileHandle> {
  try {
    return await open(path, FLAGS);
  } catch (thrown) {
    throw asEngineError(thrown, path);
  }
}

function asEngineError(thrown: unknown, path: string): EngineError {
  if (thrown instanceof EngineError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  switch (errorCode(thrown)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new EngineError(
        'fileNotFound',
        isAbsolute(path)
          ? t('There is no model file at {0}', path)
          : t('There is no model file at {0}. Give its whole path, without quotes, ~ or variables', path),
      );
    case 'EISDIR':
      return new EngineError('notGguf', t('{0} is not a file', path));
    default:
      return new EngineError('loadFailed', t('The model file {0} cannot be read: {1}', path, reason), {
        cause: thrown,
      });
  }
}

async function parsePart(path: string, reader: GgufReader, partial: boolean): Promise<Part> {
  if (reader.fileBytes < 4 || (await reader.readU32()) !== MAGIC) {
    if (await reader.beginsWith(LFS_POINTER)) {
      const message = t(
        '{0} is a pointer of Git LFS, not the model itself. Run git lfs pull, or download the file',
        path,
      );
      throw new EngineError('notGguf', message);
    }
    throw new EngineError('notGguf', t("{0} is not a GGUF model: it does not start with 'GGUF'", path));
  }
  const version = await reader.readU32();
  if (!VERSIONS.includes(version)) {
    const bigEndian = VERSIONS.some((known) => version === known * 2 ** 24);
    const message = bigEndian
      ? t('{0} is a big-endian GGUF file. Inkling reads little-endian files of versions 2 and 3', path)
      : t('{0} is a GGUF file of version {1}. Inkling reads versions 2 and 3', path, version);
    throw new EngineError('notGguf', message);
  }
  const tensorCount = await reader.readCount();
  const metadata = await readMetadata(reader, await reader.readCount());
  const tensors = await readTensors(reader, tensorCount);

  const alignment = Math.max(1, metadata.numbers.get('general.alignment') ?? DEFAULT_ALIGNMENT);
  const end = Math.ceil(reader.position / alignment) * alignment + tensors.dataBytes;
  if (!partial && tensorCount > 0 && end > reader.fileBytes) {
    throw new EngineError(
      'truncatedFile',
      t('{0} is incomplete: it has {1} of {2} bytes. Download it again', path, reader.fileBytes, end),
    );
  }
  return { metadata, tensors, fileBytes: reader.fileBytes };
}
