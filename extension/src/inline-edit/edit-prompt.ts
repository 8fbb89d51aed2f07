import type { ChatMessage } from '../../../server/protocol/index.js';
import { rulesPrompt } from '../chat/attachments/project-prompts.js';
import { fenced } from '../chat/conversation/question-text.js';

const INSTRUCTIONS =
  'You rewrite a part of a file inside the editor VS Code. Answer with the whole rewritten part in one fenced code block, and with nothing else. Change only what is asked for and copy every other line exactly as it is. Never leave lines out.';

/** The lines above and below show what the part belongs to; more of them cost time. In characters each. */
const MOST_AROUND = 3_000;

/** In characters. The instructions for the answer's form must not drown in them. */
const MOST_RULES = 4_000;

/** A part of a file that the model is to rewrite. */
export interface EditedPart {
  readonly uri: string;
  /** Relative to the workspace. */
  readonly path: string;
  readonly languageId: string;
  /** All lines of the file. */
  readonly lines: readonly string[];
  /** The part's first line, counted from 0. */
  readonly start: number;
  /** The line after the last one. */
  readonly end: number;
}

/** The lines above and below a part, as many as a question shows. */
export interface LinesAround {
  readonly above: string;
  readonly below: string;
}

/** What the user wants to change. */
export interface EditRequest {
  readonly text: string;
  /** The project's rules; null without any. */
  readonly rules: string | null;
}

export function linesAround({ lines, start, end }: EditedPart): LinesAround {
  return { above: lastLines(lines.slice(0, start)), below: firstLines(lines.slice(end)) };
}

/**
 * The conversation that asks for a rewrite.
 *
 * @param around null where nothing else of the file is shown
 */
export function editMessages(
  { path, languageId, lines, start, end }: EditedPart,
  around: LinesAround | null,
  { text: request, rules }: EditRequest,
): ChatMessage[] {
  const block = (title: string, text = '') => (text.trim() === '' ? [] : [`${title}:\n${fenced(text, languageId)}`]);
  const part = lines.slice(start, end).join('\n');
  const parts = [
    ...block(`In \`${path}\`, the lines above the part`, around?.above),
    ...block('The lines below the part', around?.below),
    part.trim() === '' ? 'The part is empty. Write it.' : `The part:\n${fenced(part, languageId)}`,
    `Rewrite the part: ${request}`,
  ];
  return [
    { role: 'system', text: rules === null ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${rulesPrompt(rules, MOST_RULES)}` },
    { role: 'user', text: parts.join('\n\n') },
  ];
}

function firstLines(lines: readonly string[]): string {
  let left = MOST_AROUND;
  const end = lines.findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return lines.slice(0, end < 0 ? undefined : end).join('\n');
}

function lastLines(lines: readonly string[]): string {
  let left = MOST_AROUND;
  const before = lines.findLastIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return lines.slice(before + 1).join('\n');
}
