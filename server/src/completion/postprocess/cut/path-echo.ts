import type { SuggestionFilter } from '../filter.js';

/**
 * Cuts the text at a line that contains only the file's path: another file would begin there. The prompt begins with
 * the path, as do many files in training data, so a model may repeat it. The first lines of a file may name it in a
 * comment.
 */
export const cutPathEcho: SuggestionFilter = ({ text, cursor, path }) => {
  if (path === null || path === '' || cursor.prefix.trim() === '') return text;
  const lines = text.split('\n');
  const first = cursor.linePrefix.trim() === '' ? 0 : 1;
  const echo = lines.findIndex((line, index) => index >= first && isPath(line, path));
  return echo < 0 ? text : lines.slice(0, echo).join('\n');
};

const LABEL = /^(?:file(?:name)?|path)?\s*(?::\s*)?$/i;

function isPath(line: string, path: string): boolean {
  if (!line.includes(path)) return false;
  const comment = line.trim().replace(/^(?:\/\/+|\/\*+|#+|--|<!--|;+|%+)/, '');
  const closer = ['*/', '-->'].find((each) => comment.endsWith(each)) ?? '';
  const said = comment.slice(0, comment.length - closer.length).trim();
  return said === path || (said.endsWith(path) && LABEL.test(said.slice(0, -path.length)));
}
