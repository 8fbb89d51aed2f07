import { cutText, shortened } from '../../../../server/protocol/index.js';
import type { OwnPrompt } from '../conversation/project-texts.js';
import { isSlashCommand } from '../conversation/question-text.js';

const LONGEST_SUMMARY = 80;

/** What follows `/` in the input ends at a blank. */
const NAME = /^([\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,59})\.md$/u;

/**
 * Reads a file of `.inkling/prompts`.
 *
 * @param fileName such as `review.md`; its case stays
 * @returns for the log why it cannot be used
 */
export function readOwnPrompt(fileName: string, content: string): OwnPrompt | string {
  const name = NAME.exec(fileName.normalize())?.[1];
  if (name === undefined) return 'its name may have letters, digits, dots, hyphens and underscores, at most 60 of them';
  if (isSlashCommand(name.toLowerCase())) return "it is named like one of Inkling's commands";
  const text = content.replaceAll('\r\n', '\n').trim();
  if (text === '') return 'it is empty';
  const line = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n')).replace(/^#+\s*/, '');
  return { name, summary: shortened(line, LONGEST_SUMMARY), text };
}

/** The rules as a part of the system message, at most `longest` characters of them. */
export function rulesPrompt(rules: string, longest: number): string {
  const text = rules.length > longest ? `${cutText(rules, longest)}\n…` : rules;
  return `Follow the rules of this project where they concern the question:\n\n${text.trim()}`;
}
