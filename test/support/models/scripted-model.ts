import { writeFileSync } from 'node:fs';
import { seededRandom } from '../seeded-random.js';
import { type GgufValue, serializeGguf } from './gguf.js';

const UINT32 = 4;
const INT32 = 5;
const FLOAT32 = 6;
const STRING = 8;
const ARRAY = 9;
/** Types of tokens. */
const NORMAL = 1;
const CONTROL = 3;
const F32 = 0;

const WIDTH = 256;
const ALIGNMENT = 32;

export interface ScriptedModel {
  readonly name?: string;
  readonly template: string;
  /** Tokens without text, by their names; the first two begin and end a message. */
  readonly control?: readonly string[];
  /**
   * The answer after a token at the prompt's end, by that token's text. Each piece becomes one token and may occur in
   * one script only, unless it is a control token. Answers after other tokens are random.
   */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  readonly fim?: boolean;
  readonly contextLength?: number;
}

const END_OF_TEXT = '<|endoftext|>';
const MESSAGE_TOKENS = ['<|im_start|>', '<|im_end|>'] as const;
const FIM = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'];

/**
 * A tiny real model (qwen2, one layer whose attention and feed-forward add nothing) with given answers. Each token's
 * row in the head is the sum of the embeddings of the tokens that it follows.
 */
export function writeScriptedModel(file: string, model: ScriptedModel): void {
  const control = [END_OF_TEXT, ...MESSAGE_TOKENS, ...(model.control ?? []), ...(model.fim ? FIM : [])];
  const spoken = Object.values(model.scripts)
    .flat()
    .filter((piece) => !control.includes(piece) && Buffer.byteLength(piece) > 1);
  const bytes = Array.from({ length: 256 }, (_, byte) => BYTE_LETTERS[byte] ?? '');
  const tokens = [...bytes, ...spoken.map(toLetters), ...control];
  const idOf = (text: string): number => {
    const at = control.indexOf(text);
    if (at >= 0) return bytes.length + spoken.length + at;
    const said = spoken.indexOf(text);
    const [byte, ...more] = Buffer.from(text);
    if (said < 0 && (byte === undefined || more.length > 0)) throw new Error(`'${text}' is no token`);
    return said >= 0 ? bytes.length + said : (byte ?? 0);
  };

  const embeddings = tokens.map((_, token) => signs(token));
  const head = tokens.map(() => new Float32Array(WIDTH));
  const follows = (token: number, next: number): void => {
    embeddings[token]?.forEach((value, index) => {
      const row = head[next];
      if (row !== undefined) row[index] = (row[index] ?? 0) + value;
    });
  };
  for (const [start, pieces] of Object.entries(model.scripts)) {
    const chain = [start, ...pieces].map(idOf);
    chain.forEach((token, index) => {
      follows(token, chain[index + 1] ?? idOf(END_OF_TEXT));
    });
  }

  writeFileSync(
    file,
    build(metadataOf(model, tokens, control, idOf), [
      ['token_embd.weight', [WIDTH, tokens.length], embeddings],
      ['output.weight', [WIDTH, tokens.length], head],
      ['output_norm.weight', [WIDTH], [ones()]],
      ['blk.0.attn_norm.weight', [WIDTH], [ones()]],
      ['blk.0.ffn_norm.weight', [WIDTH], [ones()]],
      ...['attn_q', 'attn_k', 'attn_v'].flatMap((name) => [
        zeros(`blk.0.${name}.weight`, WIDTH),
        zeros(`blk.0.${name}.bias`),
      ]),
      zeros('blk.0.attn_output.weight', WIDTH),
      ...['ffn_gate', 'ffn_up', 'ffn_down'].map((name) => zeros(`blk.0.${name}.weight`, WIDTH)),
    ]),
  );
}

function metadataOf(
  { name = 'Scripted', template, contextLength = 4096 }: ScriptedModel,
  tokens: readonly string[],
  control: readonly string[],
  idOf: (text: string) => number,
): Map<string, GgufValue> {
  const number = (value: number): GgufValue => ({ type: UINT32, value });
  return new Map<string, GgufValue>([
    ['general.architecture', { type: STRING, value: 'qwen2' }],
    ['general.name', { type: STRING, value: name }],
    ['qwen2.block_count', number(1)],
    ['qwen2.context_length', number(contextLength)],
    ['qwen2.embedding_length', number(WIDTH)],
    ['qwen2.feed_forward_length', number(WIDTH)],
    ['qwen2.attention.head_count', number(4)],
    ['qwen2.attention.head_count_kv', number(4)],
    ['qwen2.attention.layer_norm_rms_epsilon', { type: FLOAT32, value: 1e-6 }],
    ['tokenizer.ggml.model', { type: STRING, value: 'gpt2' }],
    ['tokenizer.ggml.pre', { type: STRING, value: 'qwen2' }],
    ['tokenizer.ggml.tokens', { type: ARRAY, elementType: STRING, values: tokens }],
    [
      'tokenizer.ggml.token_type',
      { type: ARRAY, elementType: INT32, values: tokens.map((token) => (control.includes(token) ? CONTROL : NORMAL)) },
    ],
    // A merge is required; no text contains these two letters.
    ['tokenizer.ggml.merges', { type: ARRAY, elementType: STRING, values: ['Ā ā'] }],
    ['tokenizer.ggml.eos_token_id', number(idOf(END_OF_TEXT))],
    ['tokenizer.chat_template', { type: STRING, value: template }],
  ]);
}

type Tensor = readonly [name: string, shape: readonly number[], rows: readonly Float32Array[]];

function zeros(name: string, rows = 0): Tensor {
  const shape = rows === 0 ? [WIDTH] : [WIDTH, rows];
  return [name, shape, Array.from({ length: Math.max(1, rows) }, () => new Float32Array(WIDTH))];
}

function ones(): Float32Array {
  return new Float32Array(WIDTH).fill(1);
}

/** Plus and minus ones, fixed for each token: nearly orthogonal vectors. */
function signs(token: number): Float32Array {
  const random = seededRandom(token + 1);
  for (let warmUp = 0; warmUp < 8; warmUp++) random.below(2);
  return Float32Array.from({ length: WIDTH }, () => (random.below(1024) < 512 ? 1 : -1));
}

function build(metadata: Map<string, GgufValue>, tensors: readonly Tensor[]): Buffer {
  const infos: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const [name, shape, rows] of tensors) {
    const text = Buffer.from(name);
    const info = Buffer.alloc(8 + text.length + 4 + shape.length * 8 + 4 + 8);
    info.writeBigUInt64LE(BigInt(text.length), 0);
    text.copy(info, 8);
    info.writeUInt32LE(shape.length, 8 + text.length);
    shape.forEach((size, index) => void info.writeBigUInt64LE(BigInt(size), 12 + text.length + index * 8));
    info.writeUInt32LE(F32, 12 + text.length + shape.length * 8);
    info.writeBigUInt64LE(BigInt(offset), 16 + text.length + shape.length * 8);
    infos.push(info);
    const bytes = Buffer.concat(rows.map((row) => Buffer.from(row.buffer)));
    const padding = Buffer.alloc((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT);
    data.push(bytes, padding);
    offset += bytes.length + padding.length;
  }
  return serializeGguf({
    metadata,
    tensorCount: BigInt(tensors.length),
    tensorInfos: Buffer.concat(infos),
    data: Buffer.concat(data),
  });
}

/** The letters for bytes in a byte-level vocabulary: printable ones for themselves, the others from U+0100 on. */
const BYTE_LETTERS: readonly string[] = (() => {
  const letters: string[] = [];
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    letters.push(String.fromCodePoint(printable ? byte : next++));
  }
  return letters;
})();

function toLetters(text: string): string {
  return [...Buffer.from(text)].map((byte) => BYTE_LETTERS[byte]).join('');
}
