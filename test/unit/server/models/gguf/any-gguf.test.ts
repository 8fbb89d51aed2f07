import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect } from 'vitest';
import { EngineError } from '../../../../../server/src/engine/port/engine-error.js';
import { readGgufHeader } from '../../../../../server/src/models/gguf/gguf-header.js';
import { property } from '../../../../support/faults/property.js';
import { tinyGguf } from '../../../../support/models/tiny-gguf.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

const WHOLE = tinyGguf({
  architecture: 'qwen35moe',
  metadata: {
    'general.name': 'Tiny',
    'general.alignment': 32,
    'general.languages': ['typescript', 'python'],
    'inkling.training_context_length': 2048,
    'qwen35moe.context_length': 4096,
    'qwen35moe.nextn_predict_layers': 1,
    'qwen35moe.expert_count': 8,
    'qwen35moe.expert_used_count': 2,
    'tokenizer.chat_template': '{{ messages }}',
  },
  tensors: [
    { name: 'token_embd.weight', shape: [8, 5] },
    { name: 'blk.1.attn_k.weight', shape: [8, 4] },
    { name: 'blk.1.ffn_up_exps.weight', shape: [8, 2, 8] },
  ],
});

/** Counts and lengths that file readers get wrong. */
const count = fc.oneof(
  fc.constantFrom(
    0n,
    1n,
    2n ** 31n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 63n - 1n,
    2n ** 64n - 1n,
  ),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const change = fc.record({
  at: fc.nat(WHOLE.length),
  bytes: fc.oneof(
    count.map((value) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(value);
      return bytes;
    }),
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  ),
});
const file = fc.oneof(
  fc
    .record({ changes: fc.array(change, { maxLength: 4 }), length: fc.nat(WHOLE.length), isCut: fc.boolean() })
    .map(({ changes, length, isCut }) => {
      const bytes = Buffer.from(WHOLE);
      for (const { at, bytes: written } of changes) written.copy(bytes, at);
      return isCut ? bytes.subarray(0, length) : bytes;
    }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([WHOLE.subarray(0, 24), bytes])),
);

describe('whatever a model file holds', () => {
  property(
    'its header is read as sound facts, or refused with a typed error',
    fc.record({ bytes: file, partial: fc.boolean() }),
    async ({ bytes, partial }) => {
      const path = folder.file('any.gguf');
      writeFileSync(path, bytes);
      const header = await readGgufHeader(path, { partial }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(EngineError);
        expect(['notGguf', 'truncatedFile']).toContain((error as EngineError).code);
        expect((error as Error).message.length).toBeLessThan(1_000);
        return null;
      });
      if (header === null) return;
      expect(header.architecture).not.toBe('');
      const { parameterCount, activeParameterCount, tensorBytes, trainingContextLength, vocabularySize } = header;
      const counts = [parameterCount, activeParameterCount, tensorBytes, trainingContextLength, vocabularySize];
      const { languages, trainedLength, work } = header;
      counts.push(work.decodeBytes, work.prefillParameters);
      expect((languages ?? []).every((id) => Buffer.byteLength(id) <= 3 * 64)).toBe(true);
      for (const each of [...counts, header.kvElementsPerToken, header.eosToken ?? 0, trainedLength ?? 1]) {
        expect(Number.isFinite(each) && each >= 0, JSON.stringify({ ...header, paths: [] })).toBe(true);
      }
      if (!partial) expect(tensorBytes).toBeLessThanOrEqual(header.fileBytes);
    },
    { runs: 300 },
  );
});
