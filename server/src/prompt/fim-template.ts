/** Ids of a vocabulary's fill-in-the-middle tokens; null for a missing token. */
export interface FimTokenIds {
  readonly prefix: number;
  readonly suffix: number;
  /** Null for Codestral, whose answer goes on after the prefix. */
  readonly middle: number | null;
  readonly pad: number | null;
  readonly repo: number | null;
  readonly fileSep: number | null;
  /** The tokens are those of a family that was trained with the suffix first. */
  readonly suffixFirst: boolean;
}

/** The facts of a GGUF that decide its template. */
export interface FimModel {
  readonly name: string;
  /** Null where a remote server does not say. */
  readonly architecture: string | null;
  readonly fim: FimTokenIds | null;
  readonly bosToken: number | null;
  readonly addBos: boolean;
  readonly leadingBlank: boolean;
}

/** How to ask a model for the middle. */
export interface FimTemplate {
  readonly order: 'prefix-suffix-middle' | 'suffix-prefix-middle';
  /** The first token of the prompt; null if the model uses none. */
  readonly bosToken: number | null;
  readonly prefixToken: number;
  readonly suffixToken: number;
  /** Null if the middle follows the prefix without a token. */
  readonly middleToken: number | null;
  /** Introduces a file by its path, `<file_sep>path\n`; null if the model has no such token. */
  readonly fileToken: number | null;
  /** Introduces the repository's name, `<repo_name>name\n`, before its files; null if the model has no such token. */
  readonly repositoryToken: number | null;
  /**
   * Whether a blank begins the prefix, as in the training of SentencePiece models (CodeLlama, Codestral). Suffix and
   * middle were trained without.
   */
  readonly leadingBlank: boolean;
  /** Any of these ends the middle. The engine also ends it at tokens that are no text of the file (`endsWithFile`). */
  readonly stopTokens: readonly number[];
}

/**
 * Families trained with the suffix first, although their special tokens are those of others. So the name decides.
 */
const SUFFIX_FIRST_FAMILIES: readonly RegExp[] = [/mellum/i];

/** The model's template, first from its own special tokens; null for a model that cannot fill in the middle. */
export function fimTemplateFor(model: FimModel): FimTemplate | null {
  const { fim } = model;
  if (fim === null) return null;
  const { prefix, suffix, middle, pad, repo, fileSep } = fim;
  const suffixFirst =
    fim.suffixFirst ||
    SUFFIX_FIRST_FAMILIES.some((family) => family.test(model.name) || family.test(model.architecture ?? ''));
  return {
    order: suffixFirst ? 'suffix-prefix-middle' : 'prefix-suffix-middle',
    bosToken: model.addBos ? model.bosToken : null,
    prefixToken: prefix,
    suffixToken: suffix,
    middleToken: middle,
    fileToken: fileSep,
    repositoryToken: repo,
    leadingBlank: model.leadingBlank,
    stopTokens: [prefix, suffix, middle, pad, repo, fileSep].filter((token) => token !== null),
  };
}
