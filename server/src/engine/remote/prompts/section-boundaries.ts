import type { FimTokenIds } from '../../../prompt/fim-template.js';
import type { GenerateRequest } from '../../port/generation.js';

/**
 * For servers that frame prefix and suffix themselves. These numbers take the place of a model's tokens, so that all
 * prompts are built in the same way. They never leave this process.
 */
export const SECTION_PLACEHOLDERS = {
  prefix: 0,
  suffix: 1,
  middle: 2,
  pad: null,
  repo: null,
  fileSep: null,
  suffixFirst: false,
} as const satisfies FimTokenIds;

export interface Sides {
  /** Up to the cursor, with the text that was typed since the anchor. */
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
