import {
  LanguageModelChatMessageRole,
  type LanguageModelChatRequestMessage,
  LanguageModelDataPart,
  LanguageModelPromptTsxPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from 'vscode';
import type { ChatMessage, ChatToolCall } from '../../../server/protocol/index.js';

/**
 * A message of VS Code's chat as the server takes it: results of tools are messages of their own, before what is said
 * beside them. What is no text, such as a picture, is left out.
 */
export function toChatMessages({ role, content }: LanguageModelChatRequestMessage): ChatMessage[] {
  const text = joined(content, '\n');
  if (role === LanguageModelChatMessageRole.Assistant) {
    const toolCalls = content.flatMap((part) => (part instanceof LanguageModelToolCallPart ? [toToolCall(part)] : []));
    return [{ role: 'assistant', text, ...(toolCalls.length === 0 ? {} : { toolCalls }) }];
  }
  const results = content.flatMap((part): ChatMessage[] =>
    part instanceof LanguageModelToolResultPart
      ? [{ role: 'tool', text: joined(part.content, '\n'), callId: part.callId }]
      : [],
  );
  return text === '' && results.length > 0 ? results : [...results, { role: 'user', text }];
}

function toToolCall({ callId, name, input }: LanguageModelToolCallPart): ChatToolCall {
  return { id: callId, name, input: input as Record<string, unknown> };
}

function joined(parts: readonly unknown[], separator: string): string {
  return parts
    .map(partText)
    .filter((part) => part !== '')
    .join(separator);
}

function partText(part: unknown): string {
  if (part instanceof LanguageModelTextPart) return part.value;
  if (part instanceof LanguageModelDataPart) {
    return /^text\/|json$/.test(part.mimeType) ? new TextDecoder().decode(part.data) : '';
  }
  return part instanceof LanguageModelPromptTsxPart ? elementText(part.value) : '';
}

/** Of what `renderElementJSON` of prompt-tsx makes, the texts in their order. */
function elementText(value: unknown): string {
  if (Array.isArray(value)) return value.map(elementText).join('');
  if (typeof value !== 'object' || value === null) return '';
  if ('text' in value && typeof value.text === 'string') return value.text;
  if ('children' in value) return elementText(value.children);
  return 'node' in value ? elementText(value.node) : '';
}
