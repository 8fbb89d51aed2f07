/** The grammar of each language, in the file `tree-sitter-<name>.wasm`; `server/grammars.mjs` lists their packages. */
const GRAMMAR_OF: Readonly<Record<string, string>> = {
  typescript: 'typescript',
  typescriptreact: 'tsx',
  javascript: 'javascript',
  javascriptreact: 'javascript',
  python: 'python',
  go: 'go',
  rust: 'rust',
  c: 'c',
  cpp: 'cpp',
  java: 'java',
  csharp: 'c_sharp',
  ruby: 'ruby',
  php: 'php',
  json: 'json',
  jsonc: 'json',
  html: 'html',
  css: 'css',
  shellscript: 'bash',
};

/** @param languageId VS Code's language identifier */
export function grammarOf(languageId: string): string | null {
  return Object.hasOwn(GRAMMAR_OF, languageId) ? (GRAMMAR_OF[languageId] ?? null) : null;
}

export function grammarFile(grammar: string): string {
  return `tree-sitter-${grammar}.wasm`;
}
