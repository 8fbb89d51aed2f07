import { describe, expect, it } from 'vitest';
import { lexicalRulesFor } from '../../../../../server/src/syntax/lexical/lexical-rules.js';
import { INITIAL_STATE, scanText, scopeOf } from '../../../../../server/src/syntax/lexical/lexical-scanner.js';

function scan(languageId: string, text: string) {
  const state = scanText(text, INITIAL_STATE, lexicalRulesFor(languageId));
  return { scope: scopeOf(state), openers: state.openers, closers: state.closers };
}

describe('strings', () => {
  const stringsIn = (languageId: string, text: string): readonly string[] => {
    const strings: string[] = [];
    const onString = (start: number, end: number) => strings.push(text.slice(start, end));
    scanText(text, INITIAL_STATE, lexicalRulesFor(languageId), { onString });
    return strings;
  };

  it.each([
    ['typescript', "a(\"b\", 'c\\'d') + `e`", ['"b"', "'c\\'d'", '`e`']],
    ['typescript', '/a"b/.test("c") // "d"', ['/a"b/', '"c"']],
    ['typescript', 'x = "not closed\ny = "z"', ['"not closed', '"z"']],
    ['typescript', 'x = "', ['"']],
    ['python', "x = '''a\nb\n''' + \"c\"", ["'''a", 'b', "'''", '"c"']],
    ['rust', "fn f<'a>() { 'x' }", ["'x'"]],
    ['plaintext', "don't", []],
  ])('in %s, those of %j are told line by line', (languageId, text, strings) => {
    expect(stringsIn(languageId, text)).toEqual(strings);
  });
});

describe('brackets', () => {
  it.each([
    ['typescript', 'f({ a: [1, 2] }', '('],
    ['typescript', 'f("(", \'[\', `{\n(`', '('],
    ['typescript', 'a = /[(]"/.test(b', '('],
    ['typescript', 'x = a / b; y = (c / d', '('],
    ['typescript', '// ({\n{ /* (\n( */ [', '{['],
    ['typescriptreact', 'a(<b>{c}</b>, { d(', '({('],
    ['typescriptreact', '{f(<></>, [', '{(['],
    ['typescriptreact', '{f(<A b={c} />, [', '{(['],
    ['typescriptreact', '<A b={c} d="e"/>{f(', '{('],
    ['javascript', "a.replace(/>/g, '(').replace(/<(/, [", '(['],
    ['javascript', "a.replace(/</g, '(').replace({", '({'],
    ['python', "x = '''\n((\n''' + f(  # [", '('],
    ['rust', "fn f<'a>(x: &'a str, c: char) { if c == '(' {", '{{'],
    ['c', "case '{': f(1'000", '('],
    ['shellscript', 'if [ $# -gt 0 ]; then f(', '('],
    ['csharp', 'f(@"c:\\", [', '(['],
    ['csharp', 'f($@"c:\\ ""(""", @$"{", "\\"(", [', '(['],
    ['csharp', 'f(@"(\n\\", [', '(['],
    ['go', 'f(`c:\\`, "\\"(", [', '(['],
    ['rust', 'f(r#"{ "(": "\\" }"#, r"\\(", "\\"(", [', '(['],
    ['cpp', 'f(R"({"a": "(\\"})", "\\"(", [', '(['],
    ['plaintext', "don't ( worry", '('],
  ])('in %s, %j leaves %j open', (languageId, text, openers) => {
    expect(scan(languageId, text).openers).toBe(openers);
  });

  it('that close something from before are kept apart', () => {
    expect(scan('typescript', 'a) + f(b)] }')).toMatchObject({ closers: ')]}', openers: '' });
  });
});

describe('the scope at the end', () => {
  it.each<readonly [string, string, string]>([
    ['typescript', 'a // b', 'comment'],
    ['typescript', 'a // b\n', 'code'],
    ['typescript', '"http://x', 'string'],
    ['typescript', '"a\\"b', 'string'],
    ['typescript', '"a\nb', 'code'],
    ['typescript', '`a\nb', 'string'],
    ['typescript', '/* a\nb', 'comment'],
    ['typescript', '/* a */ b', 'code'],
    ['python', '"""a\nb "c', 'string'],
    ['python', 'x = 1  # "', 'comment'],
    ['css', 'a { color: #', 'code'],
    ['sql', 'select 1 -- x', 'comment'],
    ['html', '<!-- a', 'comment'],
    ['unknown-language', '"a', 'string'],
    ...['graphql', 'terraform', 'nix', 'starlark', 'gdscript', 'coffeescript', 'fish', 'nim', 'crystal', 'raku'].map(
      (id) => [id, 'a # b', 'comment'] as const,
    ),
    ...['fsharp', 'hlsl', 'glsl', 'wgsl', 'solidity', 'prisma', 'verilog', 'typst', 'bicep'].map(
      (id) => [id, 'a // b', 'comment'] as const,
    ),
    ...['vb', 'vbscript'].map((id) => [id, "a ' b", 'comment'] as const),
    ...['erlang', 'matlab', 'bibtex', 'prolog'].map((id) => [id, 'a % b', 'comment'] as const),
    ...['racket', 'asm', 'elisp'].map((id) => [id, 'a ; b', 'comment'] as const),
    ...['vue-html', 'handlebars', 'astro', 'razor', 'xsl', 'mdx'].map((id) => [id, 'a <!-- b', 'comment'] as const),
    ...['ada', 'vhdl', 'purescript'].map((id) => [id, 'a -- b', 'comment'] as const),
    ['powershell', '<# a\nb', 'comment'],
    ['ocaml', '(* a\nb', 'comment'],
    ['ocaml', "let f' = g (* '*) x", 'code'],
    ['fsharp', '(* a\nb', 'comment'],
    ['fsharp', 'List.map (*) a', 'code'],
    ['sql', "select 'a\nb", 'string'],
    ['jsonl', '{"a', 'string'],
    ['git-commit', "Don't", 'code'],
    ['git-commit', '# a', 'comment'],
  ])('of %s %j is %s', (languageId, text, scope) => {
    expect(scan(languageId, text).scope).toBe(scope);
  });
});

it('knows no language by the name of what every object has', () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    expect(scan(name, 'f("(", [').openers, name).toBe('([');
  }
});

it('continues a line in the state of the one before it, however the text is cut', () => {
  const rules = lexicalRulesFor('typescript');
  const lines = ['f(`a', ') { [', '` + [', '/* ', ') */ g({'];
  const atOnce = scanText(lines.join('\n'), INITIAL_STATE, rules);
  let state = INITIAL_STATE;
  for (const line of lines) state = scanText(line, state, rules);
  expect(state).toEqual(atOnce);
  expect(atOnce.openers).toBe('([({');
});
