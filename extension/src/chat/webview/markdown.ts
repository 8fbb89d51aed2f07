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

/** The sources of the top-level blocks, so that unchanged blocks are not created again. */
export function markdownBlocks(text: string): string[] {
  // As markdown-it counts them: a model may write carriage returns.
  const lines = text.split(/\r\n?|\n/);
  const starts = markdown
    .parse(text, {})
    .flatMap(({ level, map, nesting }) => (level === 0 && map !== null && nesting >= 0 ? [map[0]] : []));
  return starts.map((start, index) => lines.slice(start, starts[index + 1]).join('\n'));
}

export function renderMarkdown(source: string): DocumentFragment {
  return DOMPurify.sanitize(markdown.render(source), {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ['href', 'class', 'start', 'title'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
