import path from 'node:path/posix';
import { C_FAMILY } from './c-family.js';
import { CSHARP } from './csharp.js';
import { GO } from './go.js';
import { JAVA } from './java.js';
import type { LanguageSupport } from './language-support.js';
import { PHP } from './php.js';
import { PYTHON } from './python.js';
import { RUBY } from './ruby.js';
import { RUST } from './rust.js';
import { TYPESCRIPT } from './typescript.js';

const LANGUAGES: readonly LanguageSupport[] = [TYPESCRIPT, PYTHON, GO, RUST, JAVA, C_FAMILY, CSHARP, PHP, RUBY];

const BY_ID = new Map(LANGUAGES.flatMap((language) => language.languageIds.map((id) => [id, language])));
const BY_EXTENSION = new Map(LANGUAGES.flatMap((language) => language.extensions.map((each) => [each, language])));

/** Null for a language without support. */
export function languageById(languageId: string): LanguageSupport | null {
  return BY_ID.get(languageId) ?? null;
}

export function languageByPath(file: string): LanguageSupport | null {
  return BY_EXTENSION.get(path.extname(file).toLowerCase()) ?? null;
}

/** Each language without support is its own family. */
export function familyOf(languageId: string): string {
  return languageById(languageId)?.family ?? languageId;
}
