import {
  LanguageModelChatMessageRole,
  type LanguageModelChatRequestMessage,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from 'vscode';
import type { ChatMessage } from '../../../server/protocol/index.js';

/** A message of VS Code's chat as text; what is no text, such as a picture, is left out. */
export function toChatMessage({ role, content }: LanguageModelChatRequestMessage): ChatMessage {
  const text = content
    .map(partText)
    .filter((part) => part !== '')
    .join('\n');
  return { role: role === LanguageModelChatMessageRole.Assistant ? 'assistant' : 'user', text };
}

/** Tools are declared unsupported; a conversation that another model began may show some all the same. */
function partText(part: unknown): string {
  if (part instanceof LanguageModelTextPart) return part.value;
  if (part instanceof LanguageModelToolCallPart) return `(${part.name} was called.)`;
  if (part instanceof LanguageModelToolResultPart) return part.content.map(partText).join('\n');
  return '';
}
