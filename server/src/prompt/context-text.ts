import type { ContextBlock, ContextSnippet } from './context-block.js';
import type { FimTemplate } from './fim-template.js';
import { commentLine } from './line-comment.js';
import { estimateTokens } from './token-budget.js';

/** Snippets of the same file that follow each other, under one name. */
interface FileExcerpt {
  readonly path: string;
  readonly text: string;
}

/**
 * The context as models read a repository: `<repo>name\n`, then `<file>path\ncode` for each file. Nothing for a model
 * that has no token for files (it gets `contextComment`), and nothing without snippets.
 *
 * @returns texts and ids of special tokens; a snippet's text stays text whatever it spells
 */
export function contextParts(block: ContextBlock, template: FimTemplate): (string | number)[] {
  const { fileToken, repositoryToken } = template;
  const excerpts = fileToken === null ? [] : excerptsOf(block);
  if (fileToken === null || excerpts.length === 0) return [];
  const repository =
    block.repository === null || repositoryToken === null ? [] : [repositoryToken, `${block.repository}\n`];
  return [...repository, ...excerpts.flatMap(({ path, text }) => [fileToken, `${path}\n${text}`])];
}

/** The context for a model without a token for files: each excerpt below a comment that names its file. */
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

/** What a block takes of a prompt's budget, in estimated tokens. */
export function contextTokens({ repository, snippets }: ContextBlock): number {
  if (snippets.length === 0) return 0;
  const name = repository === null ? 0 : estimateTokens(repository) + FRAME_TOKENS;
  return snippets.reduce((sum, snippet) => sum + snippetTokens(snippet), name);
}

/** What a snippet takes of a prompt's budget, its name included. */
export function snippetTokens({ path, text }: Pick<ContextSnippet, 'path' | 'text'>): number {
  return estimateTokens(path) + estimateTokens(text) + FRAME_TOKENS;
}

/** Separator, line end, and where the text's last token ends early. */
const FRAME_TOKENS = 3;
