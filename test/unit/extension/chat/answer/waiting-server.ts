import type { ChatServer } from '../../../../../extension/src/chat/answer/chat-server.js';
import type { ChatCapabilities, ChatOutcome, ChatPiece } from '../../../../../server/protocol/index.js';

export interface Asked {
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly think: boolean | undefined;
  readonly signal: AbortSignal;
  say(pieces: readonly ChatPiece[]): void;
  end(outcome: ChatOutcome | null): void;
}

/** Holds each answer until the test continues it. */
export class WaitingServer implements ChatServer {
  readonly asked: Asked[] = [];
  readonly sizes: unknown[] = [];

  readonly capabilityAnswers: ((found: ChatCapabilities | null) => void)[] = [];
  capabilities() {
    return new Promise<ChatCapabilities | null>((answer) => this.capabilityAnswers.push(answer));
  }
  async size(conversation: unknown) {
    this.sizes.push(conversation);
    return { kind: 'size', size: { promptTokens: 1, isEstimate: false, promptBudget: 2, droppedTurns: 0 } } as const;
  }
  async count() {
    return 0;
  }
  ask: ChatServer['ask'] = ({ messages, think }, say, signal) =>
    new Promise((end) => {
      this.asked.push({ messages, think, signal, say, end });
    });
}

export const answered = (text: string, ending: 'complete' | 'stopped' = 'complete'): ChatOutcome => ({
  kind: 'answered',
  answer: {
    text,
    thinking: '',
    toolCalls: [],
    ending,
    droppedTurns: 0,
    forgottenTokens: 0,
    promptTokens: 1,
    reusedTokens: 0,
    generatedTokens: 1,
    prefillMs: 0,
    decodeMs: 0,
    preemptions: 0,
  },
});
