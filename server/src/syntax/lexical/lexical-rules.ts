/** A pair of delimiters around text that is not code. */
export interface Delimiter {
  readonly scope: 'comment' | 'string';
  readonly open: string;
  readonly close: string;
  /** Whether the text may continue on the next line. */
  readonly multiline: boolean;
  /** Whether a backslash is a character like any other. */
  readonly raw?: true;
}

/** Comments and strings of a family of languages: enough to find the brackets that are code. */
export interface LexicalRules {
  readonly lineComments: readonly string[];
  /** Longer openers first. */
  readonly delimiters: readonly Delimiter[];
  /** `'` begins a literal of one character only, as in C or Rust, where it also has other uses. */
  readonly characterLiterals: boolean;
  /** `/` begins a regular expression where an operand is expected. */
  readonly regularExpressions: boolean;
}

const BLOCK_COMMENT: Delimiter = { scope: 'comment', open: '/*', close: '*/', multiline: true };
const MARKUP_COMMENT: Delimiter = { scope: 'comment', open: '<!--', close: '-->', multiline: true };
const LUA_COMMENT: Delimiter = { scope: 'comment', open: '--[[', close: ']]', multiline: true };
const ML_COMMENT: Delimiter = { scope: 'comment', open: '(*', close: '*)', multiline: true };
const HASKELL_COMMENT: Delimiter = { scope: 'comment', open: '{-', close: '-}', multiline: true };

function string(quote: string, multiline = false): Delimiter {
  return { scope: 'string', open: quote, close: quote, multiline };
}

function raw(open: string, close: string): Delimiter {
  return { scope: 'string', open, close, multiline: true, raw: true };
}

function rules(
  lineComments: readonly string[],
  delimiters: readonly Delimiter[],
  also: Partial<LexicalRules> = {},
): LexicalRules {
  return { lineComments, delimiters, characterLiterals: false, regularExpressions: false, ...also };
}

const C = rules(['//'], [BLOCK_COMMENT, string('"')], { characterLiterals: true });
const CPP = rules(['//'], [BLOCK_COMMENT, raw('R"(', ')"'), string('"')], { characterLiterals: true });
const TEXT_BLOCKS = rules(['//'], [BLOCK_COMMENT, string('"""', true), string('"')], { characterLiterals: true });
const CSHARP_STRINGS = [string('"""', true), raw('@"', '"'), raw('@$"', '"'), string('"')];
const CSHARP = rules(['//'], [BLOCK_COMMENT, ...CSHARP_STRINGS], { characterLiterals: true });
const GO = rules(['//'], [BLOCK_COMMENT, raw('`', '`'), string('"')], { characterLiterals: true });
const RUST_STRINGS = [raw('r#"', '"#'), raw('r"', '"'), string('"', true)];
const RUST = rules(['//'], [BLOCK_COMMENT, ...RUST_STRINGS], { characterLiterals: true });
const JAVASCRIPT = rules(['//'], [BLOCK_COMMENT, string('`', true), string('"'), string("'")], {
  regularExpressions: true,
});
const DART = rules(['//'], [BLOCK_COMMENT, string('"""', true), string("'''", true), string('"'), string("'")]);
const PYTHON = rules(['#'], [string('"""', true), string("'''", true), string('"'), string("'")]);
const HASH = rules(['#'], [string('"'), string("'")]);
const RUBY = rules(['#'], [string('`'), string('"'), string("'")], { regularExpressions: true });
const PHP = rules(['//', '#'], [BLOCK_COMMENT, string('"', true), string("'", true)]);
const SQL = rules(['--'], [BLOCK_COMMENT, string('"'), string("'", true)]);
const LUA = rules(['--'], [LUA_COMMENT, string('"'), string("'")]);
const HASKELL = rules(['--'], [HASKELL_COMMENT, string('"')], { characterLiterals: true });
const CSS = rules([], [BLOCK_COMMENT, string('"'), string("'")]);
const SCSS = rules(['//'], [BLOCK_COMMENT, string('"'), string("'")]);
const MARKUP = rules([], [MARKUP_COMMENT, string('"')]);
const PROSE = rules([], [MARKUP_COMMENT]);
const LISP = rules([';'], [string('"', true)]);
const TEX = rules(['%'], []);
const SLASHES = rules(['//'], [BLOCK_COMMENT, string('"')]);
const TERRAFORM = rules(['#', '//'], [BLOCK_COMMENT, string('"')]);
const NIX = rules(['#'], [BLOCK_COMMENT, string("''", true), string('"', true)]);
const POWERSHELL = rules(['#'], [{ scope: 'comment', open: '<#', close: '#>', multiline: true }, ...HASH.delimiters]);
const OCAML = rules([], [ML_COMMENT, string('"', true)], { characterLiterals: true });
/** `(*)` is an operator. */
const FSHARP_COMMENT: Delimiter = { ...ML_COMMENT, open: '(* ' };
const FSHARP = rules(['//'], [FSHARP_COMMENT, string('"""', true), string('"', true)], { characterLiterals: true });
const BASIC = rules(["'"], [string('"')]);
const PERCENT = rules(['%'], [string('"')]);
const DASHES = rules(['--'], [string('"')]);
/** Nearly all languages share strings in double quotes, and nothing else. */
const UNKNOWN = rules([], [string('"')]);

const BY_LANGUAGE: Readonly<Record<string, LexicalRules>> = {
  c: C,
  cpp: CPP,
  'cuda-cpp': CPP,
  'objective-c': C,
  'objective-cpp': CPP,
  zig: C,
  proto3: C,
  csharp: CSHARP,
  java: TEXT_BLOCKS,
  kotlin: TEXT_BLOCKS,
  scala: TEXT_BLOCKS,
  swift: TEXT_BLOCKS,
  groovy: DART,
  dart: DART,
  go: GO,
  rust: RUST,
  typescript: JAVASCRIPT,
  typescriptreact: JAVASCRIPT,
  javascript: JAVASCRIPT,
  javascriptreact: JAVASCRIPT,
  vue: JAVASCRIPT,
  svelte: JAVASCRIPT,
  json: JAVASCRIPT,
  jsonc: JAVASCRIPT,
  json5: JAVASCRIPT,
  jsonl: JAVASCRIPT,
  python: PYTHON,
  julia: PYTHON,
  toml: PYTHON,
  ruby: RUBY,
  elixir: PYTHON,
  perl: HASH,
  r: HASH,
  shellscript: HASH,
  powershell: POWERSHELL,
  yaml: HASH,
  dockercompose: HASH,
  dockerfile: HASH,
  makefile: HASH,
  cmake: HASH,
  properties: HASH,
  ini: rules([';', '#'], []),
  php: PHP,
  sql: SQL,
  lua: LUA,
  haskell: HASKELL,
  elm: HASKELL,
  css: CSS,
  scss: SCSS,
  less: SCSS,
  html: MARKUP,
  xml: MARKUP,
  markdown: PROSE,
  plaintext: PROSE,
  clojure: LISP,
  lisp: LISP,
  scheme: LISP,
  latex: TEX,
  tex: TEX,
  bibtex: TEX,
  hcl: TERRAFORM,
  terraform: TERRAFORM,
  nix: NIX,
  ocaml: OCAML,
  fsharp: FSHARP,
  ...all(PYTHON, 'graphql', 'starlark', 'bazel', 'gdscript', 'nim', 'coffeescript'),
  ...all(HASH, 'fish', 'crystal', 'perl6', 'raku'),
  ...all(rules(['#'], []), 'ignore', 'git-commit', 'git-rebase'),
  ...all(SLASHES, 'hlsl', 'glsl', 'wgsl', 'shaderlab', 'solidity', 'prisma', 'verilog', 'systemverilog', 'typst'),
  ...all(SCSS, 'bicep', 'stylus'),
  ...all(BASIC, 'vb', 'vbscript'),
  ...all(PERCENT, 'erlang', 'matlab', 'prolog'),
  ...all(DASHES, 'ada', 'vhdl', 'purescript'),
  ...all(LISP, 'racket', 'elisp', 'asm'),
  ...all(MARKUP, 'vue-html', 'handlebars', 'astro', 'razor', 'xsl'),
  ...all(PROSE, 'mdx', 'restructuredtext'),
};

function all(shared: LexicalRules, ...languageIds: readonly string[]): Readonly<Record<string, LexicalRules>> {
  return Object.fromEntries(languageIds.map((id) => [id, shared]));
}

/** @param languageId VS Code's language identifier */
export function lexicalRulesFor(languageId: string): LexicalRules {
  return Object.hasOwn(BY_LANGUAGE, languageId) ? (BY_LANGUAGE[languageId] ?? UNKNOWN) : UNKNOWN;
}
