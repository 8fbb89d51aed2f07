// README.md as the extension's page in VS Code can show it. Without a public repository, that page has no address for
// pictures and links of this repository: it draws broken pictures, and its links do nothing.

const LINK = /\[([^\]]*)\]\((?!https?:)[^)]*\)/g;
const PICTURE = /^!\[[^\]]*\]\((?!https?:)[^)]*\)$/;
const CAPTION = /^\*[^*]+\*$/;

/**
 * @param {string} text of README.md
 * @returns {string} without its own pictures and their captions, and with the words of its own links alone
 */
export function packageReadme(text) {
  const paragraphs = text.split('\n\n');
  const isPicture = (paragraph) => paragraph !== undefined && PICTURE.test(paragraph.trim());
  const isCaption = (paragraph, index) => CAPTION.test(paragraph.trim()) && isPicture(paragraphs[index - 1]);
  return paragraphs
    .filter((paragraph, index) => !isPicture(paragraph) && !isCaption(paragraph, index))
    .join('\n\n')
    .replaceAll(LINK, '$1');
}
