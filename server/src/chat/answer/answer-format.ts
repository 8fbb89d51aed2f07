import type { ChatPiece, ChatTool } from '../../../protocol/index.js';
import { CHANNEL_MARKERS, ChannelReader } from './channels.js';
import { ThinkingSplitter, type ThinkingStyle, thinkingStyle } from './thinking.js';
import { BareCallReader, ToolCallReader } from './tool-call-reader.js';
import { isChanneled, type ToolFormat, toolFormat, toolMarkers } from './tool-format.js';

/** What a model writes besides its answer, and in which form. */
export interface AnswerFormat {
  readonly thinking: ThinkingStyle;
  readonly tools: ToolFormat;
  /** Thinking, answer and calls are messages on channels. */
  readonly channels: boolean;
}

/** Derived from the words in the template. */
export function answerFormat(template: string): AnswerFormat {
  const channels = isChanneled(template);
  const thinking = thinkingStyle(template);
  return {
    thinking: channels ? { ...thinking, kind: 'always' } : thinking,
    tools: toolFormat(template),
    channels,
  };
}

/** Texts with a meaning in an answer. Where they are control tokens, the engine must write them as text. */
export function formatMarkers({ thinking, tools, channels }: AnswerFormat): readonly string[] {
  if (channels) return CHANNEL_MARKERS;
  return [thinking.markers.open, thinking.markers.close, ...toolMarkers(tools)];
}

/** Separates thinking, answer and calls while an answer streams. */
export interface AnswerReader {
  push(text: string): ChatPiece[];
  /** The rest of the text, at its end. */
  end(): ChatPiece[];
}

/**
 * @param thinkingOpen whether the prompt's end has already opened the thinking
 * @param tools tools that may be called; a call of any other is text
 */
export function readAnswer(
  { thinking, tools: format, channels }: AnswerFormat,
  thinkingOpen: boolean,
  tools: readonly ChatTool[],
): AnswerReader {
  if (channels) return new ChannelReader(tools, newCallId);
  const splitter = new ThinkingSplitter(thinking.markers, thinkingOpen);
  if (tools.length === 0 || format.kind === 'none' || format.kind === 'channels') return splitter;
  const calls =
    format.kind === 'bare'
      ? new BareCallReader(format, tools, newCallId)
      : new ToolCallReader(format, tools, newCallId);
  const read = (pieces: readonly ChatPiece[]): ChatPiece[] =>
    pieces.flatMap((piece) => (piece.kind === 'answer' ? calls.push(piece.text) : [piece]));
  return {
    push: (text) => read(splitter.push(text)),
    end: () => [...read(splitter.end()), ...calls.end()],
  };
}

/** Nine letters and digits: some templates accept nothing else. */
function newCallId(): string {
  return Math.random().toString(36).slice(2, 11).padEnd(9, '0');
}
