import type { LanguageSupport } from '../../../../../server/src/context/languages/language-support.js';
import { languageById } from '../../../../../server/src/context/languages/languages.js';

export function language(id: string): LanguageSupport {
  const found = languageById(id);
  if (found === null) throw new Error(`No support for ${id}`);
  return found;
}

export function declared(id: string, text: string): Record<string, string> {
  return Object.fromEntries(
    language(id)
      .declarations(text.split('\n'))
      .map((each) => [each.name, each.text]),
  );
}

/** Specifier to imported names. */
export function imported(id: string, text: string): unknown[] {
  return [...language(id).parseImports(text)].map(({ specifier, names }) => [
    specifier,
    names?.map((name) => Object.values(name).join('>')) ?? null,
  ]);
}

/** The local names of whole modules. */
export function modules(id: string, text: string): readonly string[] {
  return [...language(id).parseImports(text)].flatMap(({ module }) => module ?? []);
}

export function targets(id: string, specifier: string, from: string, names: readonly string[] | null = null) {
  const taken = names?.map((name) => ({ local: name, declared: name })) ?? null;
  return language(id).importTargets({ specifier, names: taken }, from, '/w');
}
