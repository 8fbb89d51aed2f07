import { madeModel } from './made-model.js';

/**
 * A tiny random model with attention layers only (qwen2) and the starter's vocabulary. Its text means nothing; the cost
 * of an edit does.
 *
 * @returns the path of the GGUF file
 */
export function attentionModel(): Promise<string> {
  return madeModel({
    name: 'attention',
    tool: 'make_tiny_model',
    args: ['qwen2'],
    sources: ['models/make_tiny_model.cpp', 'support/tiny_models.cpp', 'support/gguf_builder.cpp'],
    bytes: 32 * 2 ** 20,
  });
}
