import { isRecord } from './check-values.js';

/** The texts that people see, in one language. Server, extension and pages each have them set once, when they start. */
export interface Translations {
  /** As VS Code names it, such as `de`; numbers and times are written as is usual in it. */
  readonly language: string;
  /** By the English text, with `{0}`, `{1}` and so on where values stand. What is missing is shown in English. */
  readonly texts: Readonly<Record<string, string>>;
}

const ENGLISH: Translations = { language: 'en', texts: {} };

let current = ENGLISH;

/** From now on; null for English. */
export function setTranslations(translations: Translations | null): void {
  current = translations ?? ENGLISH;
}

export function currentTranslations(): Translations {
  return current;
}

/**
 * A text in the user's language, with values in place of `{0}`, `{1}` and so on. The text must be a literal, which
 * `npm run l10n` finds, and the call must not run while a module loads: the language is not known then.
 */
export function t(text: string, ...values: readonly (string | number)[]): string {
  const translated = Object.hasOwn(current.texts, text) ? (current.texts[text] ?? text) : text;
  return translated.replaceAll(/\{(\d+)\}/g, (place, index) => String(values[Number(index)] ?? place));
}

/** With this many digits behind the decimal sign, and nothing between the others. */
export function formatNumber(value: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  return new Intl.NumberFormat(current.language, options).format(value);
}

/** What a client sent as `Translations`, as far as it is that; null where it is not. */
export function parseTranslations(value: unknown): Translations | null {
  if (!isRecord(value) || typeof value.language !== 'string' || !isRecord(value.texts)) return null;
  const texts = Object.entries(value.texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { language: isLanguage(value.language) ? value.language : 'en', texts: Object.fromEntries(texts) };
}

function isLanguage(name: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}
