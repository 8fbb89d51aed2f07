import { readFileSync, writeFileSync } from 'node:fs';
import { CHATML } from './chat-templates.js';
import { parseGguf, serializeGguf } from './gguf.js';

const STRING = 8;

/**
 * The starter model with a chat template: a real model that chats, though in code. Its vocabulary has ChatML's tokens.
 */
export function writeChatModel(starterModel: string, file: string, template = CHATML): void {
  const model = parseGguf(readFileSync(starterModel));
  model.metadata.set('general.name', { type: STRING, value: 'Chatty' });
  model.metadata.set('tokenizer.chat_template', { type: STRING, value: template });
  writeFileSync(file, serializeGguf(model));
}
