import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { highlight } from './highlight.js';

/** Shows HTML in an answer as text. Links lead to web pages only. */
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: false, highlight });
markdown.validateLink = (url) => /^https?:\/\//i.test(url);
// Shows a picture's name, since loading it would send a request.
markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '');

/** markdown-it's own elements; any other element is removed. */
const ALLOWED_TAGS = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'span'],
  ...['em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];

/** A top-level block. An unchanged one is not created again. */
export interface MarkdownBlock {
  readonly source: string;
  /** The targets of its links: other blocks may define them. */
  readonly targets: string;
}

/** The definitions of an answer, such as `[1]: https://example.org`, by their labels. */
export type LinkDefinitions = NonNullable<Parameters<typeof markdown.parse>[1]['references']>;

export function markdownBlocks(text: string): {
  readonly blocks: readonly MarkdownBlock[];
  readonly definitions: LinkDefinitions;
} {
  const around: Parameters<typeof markdown.parse>[1] = {};
  const found: { readonly start: number; readonly targets: string[] }[] = [];
  for (const { level, map, nesting, children } of markdown.parse(text, around)) {
    if (level === 0 && map !== null && nesting >= 0) found.push({ start: map[0], targets: [] });
    for (const child of children ?? []) {
      if (child.type === 'link_open') found.at(-1)?.targets.push(String(child.attrGet('href')));
    }
  }
  // As markdown-it counts them: a model may write carriage returns.
  const lines = text.split(/\r\n?|\n/);
  const blocks = found.map(({ start, targets }, index) => ({
    source: lines.slice(start, found[index + 1]?.start).join('\n'),
    targets: targets.join('\n'),
  }));
  return { blocks, definitions: around.references ?? {} };
}

/** HTML that is not sanitized yet. */
export function blockHtml({ source }: MarkdownBlock, definitions: LinkDefinitions): string {
  return markdown.render(source, { references: definitions });
}

export function renderMarkdown(block: MarkdownBlock, definitions: LinkDefinitions): DocumentFragment {
  return DOMPurify.sanitize(blockHtml(block, definitions), {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ['href', 'class', 'start', 'title'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
