/** Readers of foreign text in the extension host, where endless work freezes the editor's other extensions too. */
export async function extensionWorks(): Promise<Readonly<Record<string, (text: string) => unknown>>> {
  const { filesOfDiff } = await import('../../../extension/src/commit-message/diff-files.js');
  const { readCommitMessage } = await import('../../../extension/src/commit-message/commit-prompt.js');
  const { readRewrite } = await import('../../../extension/src/inline-edit/read-rewrite.js');
  const { placeOfLines } = await import('../../../extension/src/inline-edit/line-place.js');
  const { rankFiles } = await import('../../../extension/src/chat/attachments/rank-files.js');
  const { excludingGlob } = await import('../../../extension/src/chat/attachments/search-globs.js');
  const { proposeChange } = await import('../../../extension/src/chat/code/proposed-change.js');
  const { fenced } = await import('../../../extension/src/chat/conversation/question-text.js');

  const namedBy = (paths: readonly string[]) => paths.map((path) => ({ path }));
  const placed = (code: string, text: string, shown: string | null = null) =>
    proposeChange(code, { text, shown, wholeFile: shown === null, selectionStart: 0, selectionEnd: 0 });
  /** Code and a text that grow together. */
  const placedAgain = (text: string) =>
    proposeChange('class A {\n  // ...\n  b() {\n  }\n}\n'.repeat(text.length / 30), {
      ...{ text: `class A {\n${text}\n}\n`, shown: '  b() {', wholeFile: false, selectionStart: 0, selectionEnd: 0 },
    });
  return {
    'files of a hostile diff': (text) => filesOfDiff(`diff --git a/a b/a\n${text}`),
    'a hostile commit message': (text) => readCommitMessage(text),
    'a hostile answer to an edit': (text) => readRewrite(text, 'a();\n'.repeat(text.length)),
    'where hostile lines are': (text) => {
      const lines = text.split('\n');
      return placeOfLines([...lines.slice(0, lines.length / 2), '-'], lines, lines.length >> 1);
    },
    'hostile file names': (text) =>
      ['a', 'a/a', '_aA'].map((letters) => rankFiles([...namedBy(text.split('\n')), ...namedBy([text])], letters, 20)),
    'file names with hostile letters': (text) => rankFiles(namedBy(['a/aA_.ts', 'README.md']), text, 20),
    'a hostile search.exclude': (text) => excludingGlob({ [text]: true, '**/a': true }),
    'hostile text in a fence': (text) => fenced(text, 'ts'),
    'the place of hostile code': (text) => placed(text, 'function a() {\n  b();\n}\n'),
    'the place of code in a hostile document': (text) => placed('function a() {\n  b();\n}', text),
    'the place of hostile code for a part': (text) => placed(text, 'function a() {\n  b();\n}\n', '  b();\n'),
    'the place of code in a hostile part': (text) =>
      placed('class A {\n  b() {}\n}', `class A {\n  b() {}\n${text}}\n`, text.slice(text.length / 2)),
    'the place of code that repeats itself': placedAgain,
  };
}

export const EXTENSION = [
  ...['files of a hostile diff', 'a hostile commit message', 'a hostile answer to an edit', 'where hostile lines are'],
  ...['hostile file names', 'file names with hostile letters', 'a hostile search.exclude', 'hostile text in a fence'],
  ...['the place of hostile code', 'the place of code in a hostile document', 'the place of hostile code for a part'],
  ...['the place of code in a hostile part', 'the place of code that repeats itself'],
];

/** What took more: a reader, and its text as a head, a unit that repeats, and a tail. */
export type Found = [name: string, head: string, unit: string, tail?: string];

export const FOUND_IN_EXTENSION: readonly Found[] = [
  ['a hostile commit message', 'import', '`', 'import'],
  ['a hostile commit message', '', 'commit ', 'a'],
  ['a hostile commit message', "here's", ' message', ':a'],
  ['a hostile commit message', '', 'sure\n', 'commit:'],
  ['a hostile commit message', '', 'a:\n\n'],
  ['where hostile lines are', '', '\n'],
  ['a hostile search.exclude', '', '{', '}'.repeat(2_000)],
  ['hostile text in a fence', '', '\n'],
  ['hostile text in a fence', '', '\r'],
  ['the place of code in a hostile document', '', '@a class A {}\n'],
  ['the place of hostile code for a part', '', '\nenum'],
  ['the place of code in a hostile part', '', '\nenum'],
  ['the place of code that repeats itself', '', '  b() {\n  }\n'],
];
