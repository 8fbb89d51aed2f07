export function textsIn(source: string): { readonly texts: readonly string[]; readonly unreadable: readonly string[] };
export function collectTexts(): readonly string[];
export function readBundles(): {
  readonly english: Readonly<Record<string, string>>;
  readonly translations: readonly { readonly language: string; readonly texts: Readonly<Record<string, string>> }[];
};
export function fixedParts(text: string): readonly string[];
