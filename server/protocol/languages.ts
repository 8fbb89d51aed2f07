import type { InklingSettings } from './settings.js';
import { t } from './translate.js';

/** The names of programming languages by VS Code's ids, as its own list of languages shows them. */
const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  abap: 'ABAP',
  astro: 'Astro',
  bat: 'Batch',
  bibtex: 'BibTeX',
  c: 'C',
  clojure: 'Clojure',
  cmake: 'CMake',
  coffeescript: 'CoffeeScript',
  cpp: 'C++',
  crystal: 'Crystal',
  csharp: 'C#',
  css: 'CSS',
  'cuda-cpp': 'CUDA C++',
  d: 'D',
  dart: 'Dart',
  diff: 'Diff',
  dockercompose: 'Compose',
  dockerfile: 'Docker',
  elixir: 'Elixir',
  elm: 'Elm',
  erlang: 'Erlang',
  fsharp: 'F#',
  gdscript: 'GDScript',
  glsl: 'GLSL',
  go: 'Go',
  graphql: 'GraphQL',
  groovy: 'Groovy',
  haml: 'Haml',
  handlebars: 'Handlebars',
  haskell: 'Haskell',
  hlsl: 'HLSL',
  html: 'HTML',
  ini: 'Ini',
  jade: 'Pug',
  java: 'Java',
  javascript: 'JavaScript',
  javascriptreact: 'JavaScript JSX',
  json: 'JSON',
  jsonc: 'JSON with Comments',
  jsonl: 'JSON Lines',
  julia: 'Julia',
  kotlin: 'Kotlin',
  latex: 'LaTeX',
  less: 'Less',
  lua: 'Lua',
  makefile: 'Makefile',
  markdown: 'Markdown',
  matlab: 'MATLAB',
  mdx: 'MDX',
  nim: 'Nim',
  nix: 'Nix',
  'objective-c': 'Objective-C',
  'objective-cpp': 'Objective-C++',
  ocaml: 'OCaml',
  pascal: 'Pascal',
  perl: 'Perl',
  php: 'PHP',
  powershell: 'PowerShell',
  prisma: 'Prisma',
  proto3: 'Protocol Buffers',
  python: 'Python',
  r: 'R',
  raku: 'Raku',
  razor: 'Razor',
  restructuredtext: 'reStructuredText',
  ruby: 'Ruby',
  rust: 'Rust',
  sass: 'Sass',
  scala: 'Scala',
  scss: 'SCSS',
  shaderlab: 'ShaderLab',
  shellscript: 'Shell Script',
  slim: 'Slim',
  solidity: 'Solidity',
  sql: 'SQL',
  stylus: 'Stylus',
  svelte: 'Svelte',
  swift: 'Swift',
  systemverilog: 'SystemVerilog',
  terraform: 'Terraform',
  tex: 'TeX',
  toml: 'TOML',
  typescript: 'TypeScript',
  typescriptreact: 'TypeScript JSX',
  vb: 'Visual Basic',
  verilog: 'Verilog',
  vhdl: 'VHDL',
  vue: 'Vue',
  wgsl: 'WGSL',
  xml: 'XML',
  xsl: 'XSL',
  yaml: 'YAML',
  zig: 'Zig',
};

/** Variants of a language. A list that names the language does not name them. */
const VARIANTS: Readonly<Record<string, string>> = {
  javascriptreact: 'javascript',
  typescriptreact: 'typescript',
  jsonc: 'json',
  jsonl: 'json',
};

/** With more languages, a sentence names three and counts the others. */
const MOST_NAMED = 5;
const NAMED_OF_MANY = 3;

/** A model with the languages that it says it knows, as the sentence about them needs it. */
export interface LanguageLimits {
  readonly name: string;
  /** Ships with Inkling: the sentence calls it so, since nobody chose it by its name. */
  readonly isStarter: boolean;
  /** VS Code's ids, at least one; null where the model says nothing. */
  readonly languages: readonly string[] | null;
}

/** Whether suggestions are wanted in this language: its own entry, else that of `*`, else yes. */
export function languageEnabled({ languages }: Pick<InklingSettings, 'languages'>, languageId: string): boolean {
  if (Object.hasOwn(languages, languageId)) return languages[languageId] === true;
  return languages['*'] ?? true;
}

/**
 * Why no suggestions appear by themselves in this language; null where they do. The language's own setting goes before
 * what the model knows, and that before the setting of `*`.
 *
 * @param known what the model knows; null where it does not say
 */
export function refuseLanguage(
  settings: Pick<InklingSettings, 'languages'>,
  known: readonly string[] | null,
  languageId: string,
): 'languageDisabled' | 'languageUnknown' | null {
  if (!languageEnabled(settings, languageId)) return 'languageDisabled';
  if (Object.hasOwn(settings.languages, languageId)) return null;
  return known === null || known.includes(languageId) ? null : 'languageUnknown';
}

/** Ids of documents that are no programs: people read these names in settings and in the status. */
const OTHER_NAMES: Readonly<Record<string, () => string>> = { plaintext: () => t('Plain Text'), log: () => t('Log') };

/** Whether this is the id of a programming language that Inkling has heard of. */
export function isLanguageId(id: string): boolean {
  return Object.hasOwn(LANGUAGE_NAMES, id);
}

/** As people call the language; its id where Inkling has not heard of it. */
export function languageName(languageId: string): string {
  if (Object.hasOwn(OTHER_NAMES, languageId)) return OTHER_NAMES[languageId]?.() ?? languageId;
  return isLanguageId(languageId) ? (LANGUAGE_NAMES[languageId] ?? languageId) : languageId;
}

/** Two sentences without a full stop at the end: what the model knows, and what to do. */
export function describeUnknownLanguage({ name, isStarter, languages }: LanguageLimits, languageId: string): string {
  const known = listLanguages(languages ?? []);
  const wanted = languageName(languageId);
  return isStarter
    ? t('The starter model knows {0}. Choose a model for {1}', known, wanted)
    : t('{0} knows {1}. Choose a model for {2}', name, known, wanted);
}

function listLanguages(ids: readonly string[]): string {
  const named = ids.filter((id) => !ids.includes(VARIANTS[id] ?? ''));
  const names = [...new Set(named.map(languageName))];
  if (names.length > MOST_NAMED) {
    const first = names.slice(0, NAMED_OF_MANY).join(', ');
    return t('{0} and {1} other languages', first, names.length - NAMED_OF_MANY);
  }
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : t('{0} and {1}', names.slice(0, -1).join(', '), last);
}
