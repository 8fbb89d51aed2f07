import {
  LanguageModelChatMessageRole,
  type LanguageModelChatRequestMessage,
  LanguageModelDataPart,
  LanguageModelPromptTsxPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from 'vscode';
import type { ChatMessage, ChatToolCall } from '../../../../server/protocol/index.js';

/**
 * Converts a message of VS Code's chat to the server's messages. Each result of a tool becomes its own message, before
 * the text beside it. Parts without text, such as pictures, are dropped.
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

/** The texts, in order, in the JSON that `renderElementJSON` of prompt-tsx returns. */
function elementText(value: unknown): string {
  if (Array.isArray(value)) return value.map(elementText).join('');
  if (typeof value !== 'object' || value === null) return '';
  if ('text' in value && typeof value.text === 'string') return value.text;
  if ('children' in value) return elementText(value.children);
  return 'node' in value ? elementText(value.node) : '';
}
