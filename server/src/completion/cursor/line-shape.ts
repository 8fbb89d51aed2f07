/** The shape of single lines of code, in any language. */

/** In columns; a tab counts as four. */
export function indentationOf(line: string): number {
  const blanks = /^[ \t]*/.exec(line)?.[0] ?? '';
  return blanks.replaceAll('\t', '    ').length;
}

/** Ruby's words that open a block at the start of a line. */
export const RUBY_OPENER = /^\s*(?:def|class|module|if|unless|while|until|case|begin|for)\b(?!.*\bend\b)/;

const OPENED_BY_WORDS: Readonly<Record<string, (line: string) => boolean>> = {
  ruby: (line) => RUBY_OPENER.test(line),
  lua: (line) => endsWithFunctionHead(line.trimEnd()),
  julia: (line) => /^\s*(?:function|struct|mutable|module|if|for|while|try|let|begin)\b(?!.*\bend\b)/.test(line),
};

/** `function name(parameters)` at the end of a line. */
function endsWithFunctionHead(line: string): boolean {
  const open = line.lastIndexOf('(');
  if (open < 0 || line.indexOf(')', open) !== line.length - 1) return false;
  const start = Math.max(line.lastIndexOf('(', open - 1), line.lastIndexOf(')', open)) + 1;
  return open > 0 && /\bfunction\b/.test(line.slice(start, open));
}

const TAGGED_LANGUAGES: ReadonlySet<string> = new Set([
  ...['html', 'xml', 'xsl', 'vue', 'vue-html', 'svelte', 'astro', 'handlebars', 'razor', 'php'],
  ...['javascript', 'javascriptreact', 'typescriptreact'],
]);
/** The start of a tag, or a start tag, at the end of a line. What stands before `<` in a comparison or type does not here. */
const LAST_TAG = /(?<![\p{L}\p{N}_$)\]<])<(?:(?<name>[A-Za-z][\w.:-]*)(?:\s(?:=>|[^<>])*)?)?(?<end>(?<!\/)>\s*)?$/u;
const ENDLESS_ELEMENT = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** Whether a line leaves a tag or its element open. `<` alone may begin anything. */
function opensTag(line: string): boolean {
  if (/^\s*>\s*$/.test(line)) return true;
  const { name, end } = LAST_TAG.exec(line)?.groups ?? {};
  return end === undefined ? name !== undefined : !ENDLESS_ELEMENT.test(name ?? '');
}

/** Whether a line's end asks for an indented line after it. */
export function opensBlock(line: string, languageId: string): boolean {
  if (/(?:[{([:]|=>)\s*$/.test(line)) return true;
  if (TAGGED_LANGUAGES.has(languageId) && opensTag(line)) return true;
  const opens = Object.hasOwn(OPENED_BY_WORDS, languageId) ? OPENED_BY_WORDS[languageId] : undefined;
  return /\b(?:do|then)(?:\s*\|[^|]*\|)?\s*$/.test(line) || opens?.(line) === true;
}

/** Whether a line begins with the end of a block: a closing bracket, the end of a tag, or a closing word in some languages. */
export function startsWithCloser(line: string): boolean {
  return /^\s*(?:[)\]}]|<\/|\/>|>\s*$|(?:end|fi|done|esac)\b[\s,;.)]*$)/.test(line);
}

/** Whether a line is distinctive: not blank, and more than brackets, separators or a short word. */
export function isDistinctive(line: string): boolean {
  return (line.match(/[\p{L}\p{N}_]/gu)?.length ?? 0) >= 4;
}

const AT_SIGN = /^\s*@[\w.]+(?:\(.*\))?\s*$/;
const IN_BRACKETS = /^\s*#\[.*\]\s*$/;
const ATTRIBUTE = /^\s*\[\w.*\]\s*$/;

const AT_SIGN_LANGUAGES = [
  ...['python', 'java', 'kotlin', 'scala', 'groovy', 'dart', 'swift', 'vue', 'svelte'],
  ...['typescript', 'typescriptreact', 'javascript', 'javascriptreact'],
];

const DECORATORS: ReadonlyMap<string, RegExp> = new Map([
  ...AT_SIGN_LANGUAGES.map((id) => [id, AT_SIGN] as const),
  ['rust', IN_BRACKETS],
  ['php', IN_BRACKETS],
  ['csharp', ATTRIBUTE],
]);

/** Whether a line is a decorator, annotation or attribute, which belongs to what the next line declares. */
export function decorates(line: string, languageId: string): boolean {
  return DECORATORS.get(languageId)?.test(line) === true;
}

/** Whether a line begins a decorator that a later line ends. */
export function beginsDecorator(line: string, languageId: string): boolean {
  return DECORATORS.get(languageId) === AT_SIGN && /^\s*@\w/.test(line);
}
