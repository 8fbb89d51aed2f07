import type { OwnPrompt } from './project-texts.js';
import { isSlashCommand } from './question-text.js';

const LONGEST_SUMMARY = 80;

/**
 * Reads a file of `.inkling/prompts`.
 *
 * @param fileName such as `review.md`
 * @returns null for an empty file, and for a name that cannot be a command or is one of Inkling's own
 */
export function readOwnPrompt(fileName: string, content: string): OwnPrompt | null {
  const name = /^([a-z][a-z0-9-]{0,39})\.md$/.exec(fileName)?.[1];
  const text = content.replaceAll('\r\n', '\n').trim();
  if (name === undefined || isSlashCommand(name) || text === '') return null;
  const line = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n')).replace(/^#+\s*/, '');
  const summary = line.length > LONGEST_SUMMARY ? `${line.slice(0, LONGEST_SUMMARY - 1)}…` : line;
  return { name, summary, text };
}

/** The rules as a part of the system message, at most `longest` characters of them. */
export function rulesPrompt(rules: string, longest: number): string {
  const text = rules.length > longest ? `${rules.slice(0, longest)}\n…` : rules;
  return `Follow the rules of this project where they concern the question:\n\n${text.trim()}`;
}
