interface CommentSyntax {
  readonly open: string;
  readonly close: string;
}

const SLASHES: CommentSyntax = { open: '// ', close: '' };

/** By VS Code's language identifiers; other languages use `//`. */
const SYNTAX: readonly [CommentSyntax, readonly string[]][] = [
  [
    { open: '# ', close: '' },
    [
      ...['python', 'ruby', 'shellscript', 'yaml', 'dockercompose', 'toml', 'perl', 'perl6', 'r', 'elixir', 'julia'],
      ...['dockerfile', 'makefile', 'cmake', 'powershell', 'coffeescript', 'properties', 'ignore', 'nim', 'crystal'],
      ...['nix', 'terraform', 'graphql', 'gdscript', 'fish', 'tcl', 'starlark', 'bazel'],
    ],
  ],
  [{ open: '-- ', close: '' }, ['lua', 'sql', 'haskell', 'ada', 'vhdl', 'elm', 'purescript']],
  [{ open: '; ', close: '' }, ['clojure', 'lisp', 'scheme', 'racket', 'ini', 'asm']],
  [{ open: '% ', close: '' }, ['latex', 'tex', 'bibtex', 'erlang', 'matlab', 'prolog']],
  [{ open: "' ", close: '' }, ['vb']],
  [{ open: '" ', close: '' }, ['viml']],
  [
    { open: '<!-- ', close: ' -->' },
    ['html', 'xml', 'xsl', 'markdown', 'vue', 'svelte', 'astro', 'handlebars', 'razor'],
  ],
  [{ open: '/* ', close: ' */' }, ['css', 'c']],
  [{ open: '(* ', close: ' *)' }, ['ocaml', 'coq']],
];

const SYNTAX_BY_LANGUAGE = new Map(
  SYNTAX.flatMap(([syntax, languages]) => languages.map((language) => [language, syntax])),
);

/** One comment line with its line end. `text` must contain no line end. */
export function commentLine(languageId: string, text: string): string {
  const { open, close } = SYNTAX_BY_LANGUAGE.get(languageId) ?? SLASHES;
  // A path may contain the end of a comment, which would turn the rest into code.
  const harmless = close === '' ? text : text.replaceAll(close.trim(), '');
  return `${open}${harmless}${close}\n`;
}
