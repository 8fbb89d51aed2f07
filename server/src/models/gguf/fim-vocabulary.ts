import { basename } from 'node:path';

/** What a token is for. Codestral's pair needs no middle token: the text goes on after its prefix. */
export type FimRole = 'prefix' | 'suffix' | 'middle' | 'codestralPrefix' | 'codestralSuffix';

/** Spellings of the tokens, for files whose metadata lacks their ids. The engine knows the same ones. */
export const FIM_SPELLINGS: Readonly<Record<FimRole, readonly string[]>> = {
  prefix: [
    '<|fim_prefix|>',
    '<fim-prefix>',
    '<fim_prefix>',
    '<｜fim▁begin｜>',
    '<PRE>',
    '▁<PRE>',
    '<|code_prefix|>',
    '<|prefix|>',
    '<[fim-prefix]>',
  ],
  suffix: [
    '<|fim_suffix|>',
    '<fim-suffix>',
    '<fim_suffix>',
    '<｜fim▁hole｜>',
    '<SUF>',
    '▁<SUF>',
    '<|code_suffix|>',
    '<|suffix|>',
    '<[fim-suffix]>',
  ],
  middle: [
    '<|fim_middle|>',
    '<fim-middle>',
    '<fim_middle>',
    '<｜fim▁end｜>',
    '<MID>',
    '▁<MID>',
    '<|code_middle|>',
    '<|middle|>',
    '<[fim-middle]>',
  ],
  codestralPrefix: ['[PREFIX]'],
  codestralSuffix: ['[SUFFIX]'],
};

/** Whether models with this spelling were trained with the suffix first: Seed-Coder's family, Zeta 2 among it. */
export function isSuffixFirst(prefixSpelling: string): boolean {
  return prefixSpelling === '<[fim-prefix]>' || prefixSpelling === '[PREFIX]';
}

/** Metadata keys with the ids themselves. */
export const FIM_ID_KEYS: Readonly<Record<string, FimRole>> = {
  'tokenizer.ggml.fim_pre_token_id': 'prefix',
  'tokenizer.ggml.fim_suf_token_id': 'suffix',
  'tokenizer.ggml.fim_mid_token_id': 'middle',
  'tokenizer.ggml.prefix_token_id': 'prefix',
  'tokenizer.ggml.suffix_token_id': 'suffix',
  'tokenizer.ggml.middle_token_id': 'middle',
};

const ROLE_BY_SPELLING = new Map<string, FimRole>();
for (const role of ['prefix', 'suffix', 'middle', 'codestralPrefix', 'codestralSuffix'] as const) {
  for (const spelling of FIM_SPELLINGS[role]) ROLE_BY_SPELLING.set(spelling, role);
}

const ENCODED_SPELLINGS = [...ROLE_BY_SPELLING.keys()].map((spelling) => Buffer.from(spelling));

export const LONGEST_FIM_SPELLING_BYTES = Math.max(...ENCODED_SPELLINGS.map(({ length }) => length));

/** First byte and length in bytes of each spelling, as one number. */
const BEGINNINGS = new Set(ENCODED_SPELLINGS.map(({ 0: first = 0, length }) => first * 256 + length));

/** False for nearly all other tokens. @param length in bytes, not above `LONGEST_FIM_SPELLING_BYTES` */
export function mayBeFim(firstByte: number, length: number): boolean {
  return BEGINNINGS.has(firstByte * 256 + length);
}

/** Null for any other token. */
export function fimRoleOf(token: string): FimRole | null {
  return ROLE_BY_SPELLING.get(token) ?? null;
}

/**
 * Whether one of a model's names is Codestral's. Other models of Mistral have its tokens too and never learned to use
 * them.
 */
export function isCodestral(names: readonly string[]): boolean {
  return names.some((each) => /codestral/i.test(each));
}

/**
 * Whether a model with tokens of these roles can fill in the middle. About Codestral's tokens the name of the model or its
 * file decides.
 */
export function canFillInTheMiddle(roles: ReadonlySet<FimRole>, name: string, path: string): boolean {
  if (roles.has('prefix') && roles.has('suffix') && roles.has('middle')) return true;
  return isCodestral([name, basename(path)]) && roles.has('codestralPrefix') && roles.has('codestralSuffix');
}
