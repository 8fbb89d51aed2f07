import { readFileSync, writeFileSync } from 'node:fs';
import { CHATML } from './chat-templates.js';
import { parseGguf, serializeGguf } from './gguf.js';

const UINT32 = 4;
const STRING = 8;

/**
 * The starter model, or one with its vocabulary, with a chat template: a real model that chats, though in code. Its
 * vocabulary has ChatML's tokens.
 *
 * @param contextLength the training context that the file claims; null keeps the model's own
 */
export function writeChatModel(
  starterModel: string,
  file: string,
  template = CHATML,
  contextLength: number | null = null,
): void {
  const model = parseGguf(readFileSync(starterModel));
  model.metadata.set('general.name', { type: STRING, value: 'Chatty' });
  model.metadata.set('tokenizer.chat_template', { type: STRING, value: template });
  if (contextLength !== null) {
    const [key] = [...model.metadata.keys()].filter((each) => each.endsWith('.context_length'));
    if (key === undefined) throw new Error(`${starterModel} names no context length`);
    model.metadata.set(key, { type: UINT32, value: contextLength });
  }
  writeFileSync(file, serializeGguf(model));
}
