import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NativeEngine, NativeModelFacts } from '../../../server/src/engine/addon/addon-types.js';
import { type GgufHeader, readGgufHeader } from '../../../server/src/models/gguf/gguf-header.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';

let engine: NativeEngine;
let facts: NativeModelFacts;
let header: GgufHeader;

beforeAll(async () => {
  engine = new (openAddon().Engine)();
  facts = await engine.load({ path: STARTER_MODEL });
  header = await readGgufHeader(STARTER_MODEL);
});
afterAll(() => engine.close());

test("the facts from the header before the load equal the engine's after it", () => {
  expect(header).toMatchObject({
    paths: [facts.path],
    fileBytes: facts.fileBytes,
    architecture: facts.architecture,
    name: facts.name,
    trainingContextLength: facts.trainingContextLength,
    vocabularySize: facts.vocabularySize,
    recurrent: facts.recurrent,
    fim: facts.fim !== null,
    mtp: facts.mtpLayerCount > 0,
    chat: facts.chatTemplate !== null,
  });
  expect(facts.quantization.replace(/ - Medium$/, '_M')).toBe(header.quantization);
  expect(header.parameterCount).toBe(facts.parameterCount);
});
