import { RUBY_OPENER } from './line-shape.js';

/** What ends a block that a line opens with a word; null for a line that opens none. */
type EndOf = (line: string) => string | null;

interface WordBlocks {
  readonly endOf: EndOf;
  readonly closes: RegExp;
}

const RUBY_DO = /\bdo(?:\s*\|[^|]*\|)?\s*$/;

/** Languages with a grammar, whose blocks have no brackets. */
const WORD_BLOCKS: ReadonlyMap<string, WordBlocks> = new Map([
  [
    'ruby',
    { endOf: (line: string) => (RUBY_OPENER.test(line) || RUBY_DO.test(line) ? 'end' : null), closes: /^\s*end\b/ },
  ],
  ['shellscript', { endOf: endInShell, closes: /^\s*(?:fi|done|esac)\b/ }],
]);

/** The words that would end the blocks which a text leaves open, the innermost first. */
export function endsOfWordBlocks(text: string, languageId: string): readonly string[] {
  const blocks = WORD_BLOCKS.get(languageId);
  if (blocks === undefined) return [];
  const ends: string[] = [];
  for (const line of text.split('\n')) {
    const end = blocks.endOf(line);
    if (end !== null) ends.push(end);
    else if (blocks.closes.test(line)) ends.pop();
  }
  return ends.reverse();
}

function endInShell(line: string): string | null {
  if (/\bthen\s*$/.test(line)) return /^\s*elif\b/.test(line) ? null : 'fi';
  if (/\bdo\s*$/.test(line)) return 'done';
  return /^\s*case\b/.test(line) && /\bin\s*$/.test(line) ? 'esac' : null;
}
