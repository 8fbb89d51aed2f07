import type { SuggestionFilter } from './filter.js';

/**
 * The prompt begins with the file's path, and files in training data often do so too; a model may say it again. Cuts
 * a line that is nothing but this path, with what follows: there another file would begin. The head of a file may name
 * it in a comment.
 */
export const cutPathEcho: SuggestionFilter = ({ text, cursor, path }) => {
  if (path === null || path === '' || cursor.prefix.trim() === '') return text;
  const lines = text.split('\n');
  const first = cursor.linePrefix.trim() === '' ? 0 : 1;
  const echo = lines.findIndex((line, index) => index >= first && isPath(line, path));
  return echo < 0 ? text : lines.slice(0, echo).join('\n');
};

function isPath(line: string, path: string): boolean {
  const said = line
    .replace(/^\s*(?:\/\/+|\/\*+|#+|--|<!--|;+|%+)?\s*(?:file(?:name)?|path)?\s*:?\s*/i, '')
    .replace(/\s*(?:\*\/|-->)?\s*$/, '');
  return said === path;
}
