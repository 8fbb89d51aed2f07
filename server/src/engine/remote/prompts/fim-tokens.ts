import { FIM_SPELLINGS, isCodestral, isSuffixFirst } from '../../../models/gguf/fim-vocabulary.js';
import type { FimTokenIds } from '../../../prompt/fim-template.js';

/** The same spellings as in the engine. `models/gguf/fim-vocabulary.ts` has the three that completion needs. */
const FILE_SPELLINGS = ['<|file_sep|>', '<file_sep>'];
const REPOSITORY_SPELLINGS = ['<|fim_repo|>', '<|repo_name|>', '<fim-repo>', '<REPO>', '<reponame>', '<repo_name>'];
const PAD_SPELLINGS = ['<|fim_pad|>', '<fim-pad>', '<fim_pad>', '<PAD>'];

/** Tokens that begin something else than the file at hand. The engine knows the same ones (`find_file_markers`). */
const FILE_MARKERS = [
  '<file_sep>',
  '<|file_sep|>',
  '<|file_separator|>',
  '<filename>',
  '<file_name>',
  '<repo_name>',
  '<|repo_name|>',
  '<reponame>',
  '<gh_stars>',
  '<|fim_repo|>',
  '<issue_start>',
  '<commit_before>',
  '<jupyter_start>',
  '<pr>',
];

/**
 * Of those, the ones that hardly any source spells, for servers without a tokenizer. A program's usage may well say
 * `<filename>`. With the end of a line they are as many as OpenAI's interface takes.
 */
export const UNMISTAKABLE_MARKERS: readonly string[] = ['<|file_sep|>', '<|file_separator|>', '<file_sep>'];

/** Spellings that no model's text should hold, besides those above. */
const OTHER_SPELLINGS = ['<s>', '</s>', '<unk>', '<pad>', '<eos>', '<bos>', '[INST]', '[/INST]'];

/** Token ids of a text in which special tokens are spelled. */
export type Tokenize = (text: string) => Promise<readonly number[]>;

/**
 * Asks a server's tokenizer for the fill-in-the-middle tokens of its model. The model has a token if its spelling is one
 * token.
 *
 * @param names of the model and its file, as far as the server tells
 * @returns null for a model without prefix, suffix or middle; Codestral needs no middle
 */
export async function findFimTokens(tokenize: Tokenize, names: readonly string[]): Promise<FimTokenIds | null> {
  const find = async (spellings: readonly string[]) => (await findSpelled(tokenize, spellings))?.token ?? null;
  const sections =
    (await findSections(tokenize)) ?? (isCodestral(names) ? await findCodestralSections(tokenize) : null);
  if (sections === null) return null;
  const [pad, repo] = [await find(PAD_SPELLINGS), await find(REPOSITORY_SPELLINGS)];
  return { ...sections, pad, repo, fileSep: await find(FILE_SPELLINGS) };
}

/** Asks a server's tokenizer for the tokens that end the file at hand (`GenerateRequest.endsWithFile`). */
export async function findFileMarkers(tokenize: Tokenize): Promise<readonly number[]> {
  const markers: number[] = [];
  for (const spelling of FILE_MARKERS) {
    const found = await findSpelled(tokenize, [spelling]);
    if (found !== null) markers.push(found.token);
  }
  return markers;
}

type Sections = Pick<FimTokenIds, 'prefix' | 'suffix' | 'middle' | 'suffixFirst'>;

async function findSections(tokenize: Tokenize): Promise<Sections | null> {
  const prefix = await findSpelled(tokenize, FIM_SPELLINGS.prefix);
  if (prefix === null) return null;
  const suffix = await findSpelled(tokenize, FIM_SPELLINGS.suffix);
  const middle = await findSpelled(tokenize, FIM_SPELLINGS.middle);
  if (suffix === null || middle === null) return null;
  const suffixFirst = isSuffixFirst(prefix.spelling);
  return { prefix: prefix.token, suffix: suffix.token, middle: middle.token, suffixFirst };
}

async function findCodestralSections(tokenize: Tokenize): Promise<Sections | null> {
  const prefix = await findSpelled(tokenize, FIM_SPELLINGS.codestralPrefix);
  const suffix = await findSpelled(tokenize, FIM_SPELLINGS.codestralSuffix);
  if (prefix === null || suffix === null) return null;
  return { prefix: prefix.token, suffix: suffix.token, middle: null, suffixFirst: true };
}

/** The first spelling that is one token. */
async function findSpelled(tokenize: Tokenize, spellings: readonly string[]) {
  for (const spelling of spellings) {
    const [token, ...more] = await tokenize(spelling);
    if (token !== undefined && more.length === 0) return { token, spelling };
  }
  return null;
}

const SPELLINGS = [
  ...Object.values(FIM_SPELLINGS).flat(),
  ...FILE_MARKERS,
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
