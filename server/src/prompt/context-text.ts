import type { ContextBlock, ContextSnippet } from './context-block.js';
import type { FimTemplate } from './fim-template.js';
import { commentLine } from './line-comment.js';
import { estimateTokens } from './token-budget.js';

/** Successive snippets of the same file, under one name. */
interface FileExcerpt {
  readonly path: string;
  readonly text: string;
}

/**
 * The context in the form that models were trained on: `<repo>name\n`, then `<file>path\ncode` for each file. Empty
 * without snippets, and for a model without a file token (it gets `contextComment`).
 *
 * @returns texts and ids of special tokens; a snippet's text stays text, whatever it spells
 */
export function contextParts(block: ContextBlock, template: FimTemplate): (string | number)[] {
  const { fileToken, repositoryToken } = template;
  const excerpts = fileToken === null ? [] : excerptsOf(block);
  if (fileToken === null || excerpts.length === 0) return [];
  const repository =
    block.repository === null || repositoryToken === null ? [] : [repositoryToken, `${block.repository}\n`];
  return [...repository, ...excerpts.flatMap(({ path, text }) => [fileToken, `${path}\n${text}`])];
}

/** The context for a model without a file token: each excerpt below a comment that names its file. */
export function contextComment(block: ContextBlock, currentPath: string | null): string {
  const excerpts = excerptsOf(block);
  if (excerpts.length === 0) return '';
  const named = excerpts.map(({ path, text }) => `${commentLine(block.languageId, path)}${text}\n`).join('');
  return currentPath === null ? named : `${named}${commentLine(block.languageId, currentPath)}`;
}

function excerptsOf({ snippets }: ContextBlock): FileExcerpt[] {
  const excerpts: FileExcerpt[] = [];
  for (const { path, text } of snippets) {
    const last = excerpts.at(-1);
    if (last?.path === path) excerpts[excerpts.length - 1] = { path, text: last.text + text };
    else excerpts.push({ path, text });
  }
  return excerpts;
}

/** Estimated tokens of a block. */
export function contextTokens({ repository, snippets }: ContextBlock): number {
  if (snippets.length === 0) return 0;
  const name = repository === null ? 0 : estimateTokens(repository) + FRAME_TOKENS;
  return snippets.reduce((sum, snippet) => sum + snippetTokens(snippet), name);
}

/** Estimated tokens of a snippet, its name included. */
export function snippetTokens({ path, text }: Pick<ContextSnippet, 'path' | 'text'>): number {
  return estimateTokens(path) + estimateTokens(text) + FRAME_TOKENS;
}

/** Separator, line end, and the text's last token, which may end early. */
const FRAME_TOKENS = 3;
