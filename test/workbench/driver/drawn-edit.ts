import type { Page } from 'playwright-core';

/** What decorations draw in the active editor. They are no text of the page: style sheets hold them. */
export interface DrawnEdit {
  /** At the end of a line, such as: Tab → line 4: add `rate`. Empty without one. */
  readonly hint: string;
  /** New text within a line. */
  readonly inserted: readonly string[];
  /** Old text that is struck through. */
  readonly removed: readonly string[];
  readonly images: number;
}

export async function drawnEdit(page: Page): Promise<DrawnEdit> {
  const drawn = await page.evaluate(() => {
    const editor = document.querySelector('.editor-group-container.active .editor-instance .monaco-editor');
    const spans = [...(editor?.querySelectorAll('.view-lines .view-line span') ?? [])];
    const contents = spans.flatMap((span) =>
      ['::before', '::after'].map((pseudo) => getComputedStyle(span, pseudo).content),
    );
    const struck = spans.filter(
      (span) => span.children.length === 0 && getComputedStyle(span).textDecorationLine === 'line-through',
    );
    return { contents, removed: struck.map((span) => (span.textContent ?? '').replaceAll('\u00a0', ' ')) };
  });
  const texts = drawn.contents
    .filter((content) => /^".+"$/s.test(content))
    .map((content) => content.slice(1, -1).replaceAll(/\\(.)/g, '$1').replaceAll('\u00a0', ' '));
  const isHint = (text: string) => text.includes('→ ');
  return {
    hint: texts.find(isHint) ?? '',
    inserted: texts.filter((text) => !isHint(text)),
    removed: drawn.removed,
    images: drawn.contents.filter((content) => content.startsWith('url("data:image/svg+xml')).length,
  };
}

export function isEmpty({ hint, inserted, removed, images }: DrawnEdit): boolean {
  return hint === '' && inserted.length === 0 && removed.length === 0 && images === 0;
}
