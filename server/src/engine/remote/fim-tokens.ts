import { FIM_SPELLINGS } from '../../models/fim-vocabulary.js';
import type { FimTokenIds } from '../../prompt/fim-template.js';

/** As the engine knows them; `models/fim-vocabulary.ts` has the three that completing needs. */
const FILE_SPELLINGS = ['<|file_sep|>', '<file_sep>'];
const REPOSITORY_SPELLINGS = ['<|fim_repo|>', '<|repo_name|>', '<fim-repo>', '<REPO>', '<reponame>', '<repo_name>'];
const PAD_SPELLINGS = ['<|fim_pad|>', '<fim-pad>', '<fim_pad>', '<PAD>'];

/** Spellings that no model's text should hold, besides those above. */
const OTHER_SPELLINGS = ['<s>', '</s>', '<unk>', '<pad>', '<eos>', '<bos>', '[INST]', '[/INST]'];

/** Token ids of a text in which special tokens are spelled. */
export type Tokenize = (text: string) => Promise<readonly number[]>;

/**
 * Asks a server's tokenizer for the tokens that its model fills in the middle with: where the spelling is one token, the
 * model has it.
 *
 * @returns null for a model without prefix, suffix or middle
 */
export async function findFimTokens(tokenize: Tokenize): Promise<FimTokenIds | null> {
  const find = async (spellings: readonly string[]): Promise<number> => {
    for (const spelling of spellings) {
      const tokens = await tokenize(spelling);
      if (tokens.length === 1) return tokens[0] ?? -1;
    }
    return -1;
  };
  const prefix = await find(FIM_SPELLINGS.prefix);
  if (prefix < 0) return null;
  const [suffix, middle] = [await find(FIM_SPELLINGS.suffix), await find(FIM_SPELLINGS.middle)];
  if (suffix < 0 || middle < 0) return null;
  const [pad, repo] = [await find(PAD_SPELLINGS), await find(REPOSITORY_SPELLINGS)];
  return { prefix, suffix, middle, pad, repo, fileSep: await find(FILE_SPELLINGS) };
}

const SPELLINGS = [
  ...Object.values(FIM_SPELLINGS).flat(),
  ...FILE_SPELLINGS,
  ...REPOSITORY_SPELLINGS,
  ...PAD_SPELLINGS,
  ...OTHER_SPELLINGS,
];

const SPELLED = new RegExp(
  `(?<=<)(?=[|｜])|${SPELLINGS.map((each) => `(?<=${escaped(each[0] ?? '')})(?=${escaped(each.slice(1))})`).join('|')}`,
  'u',
);

/**
 * Cuts a text so that no piece spells a special token, for tokenizers that would read one in it: somebody's source may
 * speak of them.
 */
export function piecesWithoutSpecials(text: string): readonly string[] {
  return text.split(SPELLED);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
