import type { ChatMessage, ChatTool } from '../../protocol/index.js';
import { answerFormat } from './answer/answer-format.js';
import type { ThinkingStyle } from './answer/thinking.js';
import { ChatTemplate, RenderingFailed } from './prompt/chat-template.js';
import type { RenderTemplate } from './rendering/template-renderer.js';

/** Share of the context kept for the answer. */
const ANSWER_SHARE = 1 / 4;
const MOST_ANSWER_TOKENS = 2048;

/** The most tokens of a context that a conversation may take. */
export function promptBudget(contextLength: number): number {
  return contextLength - Math.min(MOST_ANSWER_TOKENS, Math.floor(contextLength * ANSWER_SHARE));
}

const QUESTION: readonly ChatMessage[] = [{ role: 'user', text: 'question' }];
const PROBE: ChatTool = { name: 'probe_tool', description: 'A probe.' };
const CALL: readonly ChatMessage[] = [
  ...QUESTION,
  { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: PROBE.name, input: { key: 1 } }] },
  { role: 'tool', text: 'result', callId: 'a' },
];

export interface ChatAbilities {
  readonly thinking: ThinkingStyle['kind'];
  /** The template shows the model the tools and their results. */
  readonly tools: boolean;
}

/**
 * What a template alone shows about its model, loaded or not.
 *
 * @throws TemplateError if it cannot be used
 * @throws RenderingFailed
 */
export async function chatAbilities(source: string, render: RenderTemplate): Promise<ChatAbilities> {
  // The names of these tokens do not matter here.
  const template = new ChatTemplate(source, { bos: '', eos: '' }, render);
  await template.render(QUESTION, { think: true, addGenerationPrompt: true, tools: [] });
  const { thinking, tools } = answerFormat(source);
  return { thinking: thinking.kind, tools: tools.kind !== 'none' && (await showsTools(template)) };
}

async function showsTools(template: ChatTemplate): Promise<boolean> {
  try {
    const pieces = await template.render(CALL, { think: true, addGenerationPrompt: true, tools: [PROBE] });
    const mentions = pieces.flatMap((piece) =>
      piece.kind === 'message' ? [] : [...piece.text.matchAll(/probe_tool/g)],
    );
    // In the list of tools, and in the call.
    return mentions.length >= 2;
  } catch (error) {
    if (error instanceof RenderingFailed) throw error;
    // It may still chat.
    return false;
  }
}
