/** The values in package.json. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The fields that VS Code shows; `category` is the product's name, which has no translation. */
const SHOWN = new Set(['title', 'displayName', 'description', 'markdownDescription', 'label', 'name', 'altText']);
const SHOWN_LISTS = new Set(['enumDescriptions', 'markdownEnumDescriptions', 'enumItemLabels']);
/** Names without translation. */
const NAMES = new Set(['inkling', 'Inkling']);

/** The manifest as VS Code reads it: with its text in place of each `%key%`. */
export function localised(value: Json, texts: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') {
    const key = keyOf(value);
    return key === null ? value : (texts[key] ?? value);
  }
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map((each) => localised(each, texts));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, localised(each, texts)]));
}

/** The keys in a manifest, and its visible texts that no translation can reach. */
export function nlsKeys(value: Json): { readonly keys: ReadonlySet<string>; readonly texts: readonly string[] } {
  const keys = new Set<string>();
  const texts: string[] = [];
  const visit = (each: Json, isShown: boolean): void => {
    if (typeof each === 'string') {
      const key = keyOf(each);
      if (key !== null) keys.add(key);
      else if (isShown && !NAMES.has(each)) texts.push(each);
    } else if (isList(each)) {
      for (const item of each) visit(item, isShown);
    } else if (each !== null && typeof each === 'object') {
      for (const [name, item] of Object.entries(each)) {
        visit(item, SHOWN.has(name) ? typeof item === 'string' : SHOWN_LISTS.has(name));
      }
    }
  };
  visit(value, false);
  return { keys, texts };
}

function keyOf(text: string): string | null {
  return /^%([\w.]+)%$/.exec(text)?.[1] ?? null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
