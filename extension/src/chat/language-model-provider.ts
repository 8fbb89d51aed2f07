import {
  type CancellationToken,
  Disposable,
  EventEmitter,
  type LanguageModelChatInformation,
  type LanguageModelChatProvider,
  type LanguageModelChatRequestMessage,
  type LanguageModelChatTool,
  LanguageModelChatToolMode,
  LanguageModelError,
  type LanguageModelResponsePart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  lm,
  type Progress,
  type ProvideLanguageModelChatResponseOptions,
} from 'vscode';
import {
  type ChatCapabilities,
  type ChatMessage,
  type ChatPiece,
  type ChatTool,
  t,
} from '../../../server/protocol/index.js';
import { markdownText, plainText } from '../texts/plain-text.js';
import type { ChatServer } from './answer/chat-server.js';
import { toChatMessages } from './conversation/message-text.js';

/** The vendor in package.json. */
const VENDOR = 'inkling';

/** Characters per token, if no server can count. */
const CHARACTERS_PER_TOKEN = 4;

/** Offers the chat model to VS Code's own chat: text, and calls of tools if its template supports them. */
export class LanguageModelProvider implements LanguageModelChatProvider {
  readonly #changed = new EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;

  readonly #server: ChatServer;
  readonly #capabilities: () => Promise<ChatCapabilities | null>;

  constructor(server: ChatServer, capabilities: () => Promise<ChatCapabilities | null>) {
    this.#server = server;
    this.#capabilities = capabilities;
  }

  /** Does nothing if this VS Code lacks the API. */
  register(): Disposable {
    if (typeof lm?.registerLanguageModelChatProvider !== 'function') return this.#changed;
    return Disposable.from(lm.registerLanguageModelChatProvider(VENDOR, this), this.#changed);
  }

  /** The loaded model or its capabilities have changed. */
  announce(): void {
    this.#changed.fire();
  }

  async provideLanguageModelChatInformation(): Promise<LanguageModelChatInformation[]> {
    const can = await this.#capabilities();
    if (can?.kind !== 'canChat') return [];
    const { modelName, architecture, contextLength, promptBudget, tools } = can;
    return [
      {
        id: 'local',
        name: plainText(modelName),
        family: architecture ?? '',
        version: modelName,
        detail: 'Inkling',
        tooltip: t('{0}, through Inkling', markdownText(modelName)),
        maxInputTokens: promptBudget,
        maxOutputTokens: contextLength - promptBudget,
        capabilities: { toolCalling: tools, imageInput: false },
      },
    ];
  }

  async provideLanguageModelChatResponse(
    _model: LanguageModelChatInformation,
    messages: readonly LanguageModelChatRequestMessage[],
    { tools = [], toolMode }: ProvideLanguageModelChatResponseOptions,
    progress: Progress<LanguageModelResponsePart>,
    token: CancellationToken,
  ): Promise<void> {
    const abort = new AbortController();
    const registration = token.onCancellationRequested(() => abort.abort());
    if (token.isCancellationRequested) abort.abort();
    try {
      const outcome = await this.#server.ask(
        {
          messages: messages.flatMap(toChatMessages),
          tools: tools.map(toChatTool),
          mustCall: toolMode === LanguageModelChatToolMode.Required,
        },
        (pieces) => {
          for (const part of pieces.flatMap(responseParts)) progress.report(part);
        },
        abort.signal,
      );
      if (outcome?.kind === 'answered' || abort.signal.aborted) return;
      throw new LanguageModelError(outcome?.refusal.message ?? t('The Inkling language server does not answer.'));
    } finally {
      registration.dispose();
    }
  }

  async provideTokenCount(
    _model: LanguageModelChatInformation,
    text: string | LanguageModelChatRequestMessage,
  ): Promise<number> {
    const counted = typeof text === 'string' ? text : toChatMessages(text).map(messageText).join('\n');
    return (await this.#server.count(counted)) ?? Math.ceil(counted.length / CHARACTERS_PER_TOKEN);
  }
}

/** Drops the model's thinking. */
function responseParts(piece: ChatPiece): LanguageModelResponsePart[] {
  switch (piece.kind) {
    case 'answer':
      return [new LanguageModelTextPart(piece.text)];
    case 'toolCall':
      return [new LanguageModelToolCallPart(piece.call.id, piece.call.name, piece.call.input)];
    case 'thinking':
      return [];
  }
}

function toChatTool({ name, description, inputSchema }: LanguageModelChatTool): ChatTool {
  return { name, description, ...(inputSchema === undefined ? {} : { inputSchema }) };
}

function messageText({ text, toolCalls = [] }: ChatMessage): string {
  return toolCalls.length === 0 ? text : text + JSON.stringify(toolCalls);
}
