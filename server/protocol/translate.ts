import { isRecord } from './check-values.js';

/** The texts that people see, in one language. Server, extension and pages set them once at start. */
export interface Translations {
  /** VS Code's language identifier, such as `de`; it also decides the format of numbers and times. */
  readonly language: string;
  /** By the English text, with `{0}`, `{1}` and so on for values. A missing text is shown in English. */
  readonly texts: Readonly<Record<string, string>>;
}

const ENGLISH: Translations = { language: 'en', texts: {} };

let current = ENGLISH;

/** Null for English. */
export function setTranslations(translations: Translations | null): void {
  current = translations ?? ENGLISH;
}

export function currentTranslations(): Translations {
  return current;
}

/**
 * A text in the user's language, with values for `{0}`, `{1}` and so on. The text must be a literal, which `npm run
 * l10n` finds. The call must not run while a module loads, since the language is not known then.
 */
export function t(text: string, ...values: readonly (string | number)[]): string {
  const translated = Object.hasOwn(current.texts, text) ? (current.texts[text] ?? text) : text;
  return translated.replaceAll(/\{(\d+)\}/g, (place, index) => String(values[Number(index)] ?? place));
}

/** With this many decimals, and no group separators. */
export function formatNumber(value: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  return new Intl.NumberFormat(current.language, options).format(value);
}

/** As the user's language writes it: `42%`, in German `42 %`. */
export function formatPercent(percent: number): string {
  return new Intl.NumberFormat(current.language, { style: 'percent', maximumFractionDigits: 0 }).format(percent / 100);
}

/** Reads what a client sent as `Translations`; null if it is none. */
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
