export type FimRole = 'prefix' | 'suffix' | 'middle';

/** Spellings of the three tokens, for files whose metadata lacks their ids. The engine knows the same ones. */
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
  ],
};

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
for (const role of ['prefix', 'suffix', 'middle'] as const) {
  for (const spelling of FIM_SPELLINGS[role]) ROLE_BY_SPELLING.set(spelling, role);
}

export const LONGEST_FIM_SPELLING_BYTES = Math.max(
  ...[...ROLE_BY_SPELLING.keys()].map((spelling) => Buffer.byteLength(spelling)),
);

/** Null for any other token. */
export function fimRoleOf(token: string): FimRole | null {
  return ROLE_BY_SPELLING.get(token) ?? null;
}
