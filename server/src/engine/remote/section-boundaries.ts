import type { FimTokenIds } from '../../prompt/fim-template.js';
import type { GenerateRequest } from '../engine.js';

/**
 * For servers that frame prefix and suffix themselves: numbers that stand where a model's tokens would, so that prompts
 * are built in the same way. They never leave this process.
 */
export const SECTION_PLACEHOLDERS: FimTokenIds = { prefix: 0, suffix: 1, middle: 2, pad: -1, repo: -1, fileSep: -1 };

export interface Sides {
  /** Up to the cursor: what was typed since the anchor is a part of it. */
  readonly prefix: string;
  readonly suffix: string;
}

/** The sides of a prompt that was built with the section placeholders. */
export function sidesOf(prompt: GenerateRequest['prompt']): Sides {
  const sections = new Map<number, string>();
  let section: number = SECTION_PLACEHOLDERS.prefix;
  for (const part of prompt) {
    if (typeof part === 'number') section = part;
    else sections.set(section, (sections.get(section) ?? '') + part);
  }
  const text = (mark: number) => sections.get(mark) ?? '';
  const { prefix, suffix, middle } = SECTION_PLACEHOLDERS;
  return { prefix: text(prefix) + text(middle), suffix: text(suffix) };
}
