import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.registerAliases(['typescriptreact', 'tsx'], { languageName: 'typescript' });
hljs.registerAliases(['javascriptreact', 'jsx'], { languageName: 'javascript' });
hljs.registerAliases(['shellscript', 'shell', 'console'], { languageName: 'bash' });

/** Nobody reads colours in more, and the rules of some languages take the square of a line's length. */
const LONGEST_LINE = 1_000;
/** Few rules take the square of that. The longest answer hardly has as many characters. */
const LONGEST_CODE = 30_000;
/** Words, blanks and what joins types: some rules take the square or the cube of that without another sign in it. */
const LONGEST_WORDS = 1_000;

/** HTML with a class for each kind of token; empty for code that is shown without colours, as in an unknown language. */
export function highlight(code: string, language: string): string {
  if (hljs.getLanguage(language) === undefined || code.length > LONGEST_CODE) return '';
  if (code.split('\n').some(({ length }) => length > LONGEST_LINE)) return '';
  if (code.split(/[^\w\s<>,[\]]+/).some(({ length }) => length > LONGEST_WORDS)) return '';
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
