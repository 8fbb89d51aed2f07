import { FIM_SPELLINGS, isSuffixFirst } from '../../models/fim-vocabulary.js';
import type { FimTokenIds } from '../../prompt/fim-template.js';

/** The same spellings as in the engine. `models/fim-vocabulary.ts` has the three that completion needs. */
const FILE_SPELLINGS = ['<|file_sep|>', '<file_sep>'];
const REPOSITORY_SPELLINGS = ['<|fim_repo|>', '<|repo_name|>', '<fim-repo>', '<REPO>', '<reponame>', '<repo_name>'];
const PAD_SPELLINGS = ['<|fim_pad|>', '<fim-pad>', '<fim_pad>', '<PAD>'];

/** Spellings that no model's text should hold, besides those above. */
const OTHER_SPELLINGS = ['<s>', '</s>', '<unk>', '<pad>', '<eos>', '<bos>', '[INST]', '[/INST]'];

/** Token ids of a text in which special tokens are spelled. */
export type Tokenize = (text: string) => Promise<readonly number[]>;

/**
 * Asks a server's tokenizer for the fill-in-the-middle tokens of its model. The model has a token if its spelling is one
 * token.
 *
 * @returns null for a model without prefix, suffix or middle
 */
export async function findFimTokens(tokenize: Tokenize): Promise<FimTokenIds | null> {
  const findSpelled = async (spellings: readonly string[]): Promise<[token: number, spelling: string] | null> => {
    for (const spelling of spellings) {
      const [token, ...more] = await tokenize(spelling);
      if (token !== undefined && more.length === 0) return [token, spelling];
    }
    return null;
  };
  const find = async (spellings: readonly string[]) => (await findSpelled(spellings))?.[0] ?? null;
  const spelledPrefix = await findSpelled(FIM_SPELLINGS.prefix);
  if (spelledPrefix === null) return null;
  const [prefix, spelling] = spelledPrefix;
  const [suffix, middle] = [await find(FIM_SPELLINGS.suffix), await find(FIM_SPELLINGS.middle)];
  if (suffix === null || middle === null) return null;
  const [pad, repo] = [await find(PAD_SPELLINGS), await find(REPOSITORY_SPELLINGS)];
  const fileSep = await find(FILE_SPELLINGS);
  return { prefix, suffix, middle, pad, repo, fileSep, suffixFirst: isSuffixFirst(spelling) };
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
 * Cuts a text so that no piece spells a special token. This is for tokenizers that read special tokens in any text: a
 * user's source may mention them.
 */
export function piecesWithoutSpecials(text: string): readonly string[] {
  return text.split(SPELLED);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
