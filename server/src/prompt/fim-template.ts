/** Ids of a vocabulary's fill-in-the-middle tokens; -1 for a missing token. */
export interface FimTokenIds {
  readonly prefix: number;
  readonly suffix: number;
  readonly middle: number;
  readonly pad: number | null;
  readonly repo: number | null;
  readonly fileSep: number | null;
}

/** The facts of a GGUF that decide its template. */
export interface FimModel {
  readonly name: string;
  /** Null where a remote server does not say. */
  readonly architecture: string | null;
  readonly fim: FimTokenIds | null;
  readonly bosToken: number | null;
  readonly addBos: boolean;
}

/** How to ask a model for the middle. */
export interface FimTemplate {
  readonly order: 'prefix-suffix-middle' | 'suffix-prefix-middle';
  /** The first token of the prompt; null if the model uses none. */
  readonly bosToken: number | null;
  readonly prefixToken: number;
  readonly suffixToken: number;
  readonly middleToken: number;
  /** Introduces a file by its path, `<file_sep>path\n`; null if the model has no such token. */
  readonly fileToken: number | null;
  /** Introduces the repository's name, `<repo_name>name\n`, before its files; null if the model has no such token. */
  readonly repositoryToken: number | null;
  /** Any of these ends the middle. */
  readonly stopTokens: readonly number[];
}

/**
 * Families trained in another order than prefix, suffix, middle. Their special tokens do not show it, so the name
 * decides. (Codestral's suffix-first form has no middle token; such a model reports no FIM tokens.)
 */
const SUFFIX_FIRST_FAMILIES: readonly RegExp[] = [/seed[-_ ]?coder/i, /mellum/i];

/** The model's template, first from its own special tokens; null for a model that cannot fill in the middle. */
export function fimTemplateFor(model: FimModel): FimTemplate | null {
  const { fim } = model;
  if (fim === null) return null;
  const suffixFirst = SUFFIX_FIRST_FAMILIES.some(
    (family) => family.test(model.name) || family.test(model.architecture ?? ''),
  );
  return {
    order: suffixFirst ? 'suffix-prefix-middle' : 'prefix-suffix-middle',
    bosToken: model.addBos ? model.bosToken : null,
    prefixToken: fim.prefix,
    suffixToken: fim.suffix,
    middleToken: fim.middle,
    fileToken: fim.fileSep,
    repositoryToken: fim.repo,
    stopTokens: Object.values(fim).filter((token) => token !== null),
  };
}
