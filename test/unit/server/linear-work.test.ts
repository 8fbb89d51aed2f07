import { mkdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pathFromFileSystem } from '../../../server/src/context/files/file-location.js';
import type { EditedText } from '../../../server/src/next-edit/repeat/replacement.js';
import { property } from '../../support/faults/property.js';
import { StepCounter } from '../../support/steps/count-steps.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';
import { CHAT, chatWorks } from './chat-works.js';
import { EXTENSION, extensionWorks, FOUND_IN_EXTENSION, type Found } from './extension-works.js';
import { FOUND_IN_LANGUAGES } from './found-in-languages.js';
import { FOUND_IN_PROJECTS, PROJECTS, projectWorks } from './project-works.js';
import { SILENT } from './scripted-engine.js';
import { STREAMED, streamedWorks } from './streamed-works.js';

/**
 * For each character of its input, work may take this many steps. The filters together are many, as are choices, and next
 * edits scan what is before each of a hundred places (`MOST_SCANNED`).
 */
const STEPS_PER_CHARACTER = 150;
const STEPS_OF_MUCH: Readonly<Record<string, number>> = {
  'filters in a hostile document': 600,
  'filters of a hostile answer': 600,
  'a hostile search.exclude': 1_000,
  'next edits in a hostile document': 1_700,
  'next edits of which one like them may have been refused': 2_000,
  'the place of code that repeats itself': 400,
};
const LENGTHS = [500, 4_000];
const RUNS = process.env.INKLING_TEST_SCALE === 'full' ? 10 : 4;

/** What the parsers look for, and what else makes expressions try again. */
const PIECES = [
  ...['import', 'export', 'from', 'const', 'require(', 'type', 'as', 'function', 'class', 'enum', 'interface'],
  ...['package', 'static', 'public', 'private:', 'public:', 'use', 'mod', 'pub', 'pub(', 'impl', 'for', 'fn', 'struct'],
  ...['def', '@dataclass', 'typedef', 'template', '#include', '#define', 'func', 'var', 'return', 'do', 'end', 'then'],
  ...['\n', '\n\n', '\n  ', ' ', '    ', '\t', '(', ')', '[', ']', '{', '}', '<', '>', '"', "'", '`', '"""', '\\'],
  ...[';', ':', '::', '::{', ',', '.', '*', '/', '//', '/*', '*/', '#', '=', '=>', '-', '--', '|', '&', '!', '?', '$'],
  ...['a', 'A', 'a1', '_', 'é', '\u{1f600}', '\ud800', '\0', '0', 'eyJ', 'eyJ-', 'SG.', '://', 'password', 'token='],
  ...['secret', '-----BEGIN ', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '```', '<|', '<!--', '-->', '@a ', '#[', '...', ': '],
  ...['\r', '\u2028', '\uE002', '\uE003', 'file', 'commit message', 'here is ', '+', '@@', 'class A {\n', '  b() {\n'],
  ...['<a', '</a', '/>'],
];

const some = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...PIECES), { minLength, maxLength }).map((pieces) => pieces.join(''));

/** A text that grows by repetition: within a line, or line by line. */
const growing = fc
  .record({ head: some(0, 3), unit: some(1, 4), tail: some(0, 2), lineLength: fc.constantFrom(0, 0, 230) })
  .map(({ head, unit, tail, lineLength }) => ({
    text: (length: number): string => {
      if (lineLength === 0) return head + unit.repeat(Math.ceil(length / unit.length)) + tail;
      const line = `${head}${unit.repeat(Math.ceil(lineLength / unit.length)).slice(0, lineLength)}${tail}\n`;
      return line.repeat(Math.ceil(length / line.length));
    },
    [fc.toStringMethod]: () => JSON.stringify({ head, unit, tail, lineLength }),
  }));

let counter: StepCounter;
let works: Readonly<Record<string, (text: string) => unknown>>;

beforeAll(async () => {
  counter = await StepCounter.start();
  vi.resetModules();
  works = await loadWorks();
});

afterAll(() => counter.stop());

const BLANK = { offset: 0, removed: '', inserted: ' ' };
const EDITED = { uri: 'file:///a', line: 1 };
const RENAMED = { ...EDITED, original: 'const a = 1;\n', updated: 'const b = 1;\n' };
const NEW_PARAMETER = { ...EDITED, original: 'function a() {\n', updated: 'function a(b) {\n' };
const RENAMED_TAG = { ...EDITED, original: '<div>\n', updated: '<p>\n' };
const REWRITTEN = { path: 'a.ts', related: [], edits: [], firstLine: 1, cursor: null, above: '', below: '' };
const SCANNED = ['typescript', 'python', 'ruby', 'c', 'lua', 'julia', 'html'];
const LANGUAGES = ['typescript', 'python', 'go', 'rust', 'java', 'cpp', 'php', 'csharp', 'ruby'];

async function loadWorks() {
  const { splitQuoted } = await import('../../../server/src/chat/prompt/quoted-text.js');
  const { documentPath } = await import('../../../server/src/lsp/documents/document-path.js');
  const { languageById } = await import('../../../server/src/context/languages/languages.js');
  const { importsOf } = await import('../../../server/src/context/languages/language-support.js');
  const { isUnsuitable } = await import('../../../server/src/context/admission/unsuitable-text.js');
  const { hasSecretName, holdsSecret } = await import('../../../server/src/context/admission/secret-files.js');
  const { snippetWindows } = await import('../../../server/src/context/snippet-windows.js');
  const { DiagnosedNames } = await import('../../../server/src/context/sources/diagnosed-names.js');
  const { INITIAL_STATE, scanText } = await import('../../../server/src/syntax/lexical/lexical-scanner.js');
  const { lexicalRulesFor } = await import('../../../server/src/syntax/lexical/lexical-rules.js');
  const { LEXICAL } = await import('../../support/code/cursor-syntax.js');
  const { cursorContextAt } = await import('../../../server/src/completion/cursor/cursor-context.js');
  const { cursorSyntaxAt } = await import('../../../server/src/completion/cursor/cursor-syntax.js');
  const { classifyEdit } = await import('../../../server/src/completion/cursor/edit-kind.js');
  const { opensBlock } = await import('../../../server/src/completion/cursor/line-shape.js');
  const { sensibleEnds } = await import('../../../server/src/completion/confidence/sensible-ends.js');
  const { postProcess } = await import('../../../server/src/completion/postprocess/post-process.js');
  const { chooseStopRule } = await import('../../../server/src/completion/generation/stop-rule.js');
  const { RepeatedEdits } = await import('../../../server/src/next-edit/repeat/repeated-edits.js');
  const { LexicalSyntax } = await import('../../../server/src/syntax/lexical/lexical-syntax.js');
  const { seesDeclaration } = await import('../../../server/src/next-edit/repeat/names/sees-declaration.js');
  const { wordsIn } = await import('../../../server/src/next-edit/repeat/sites.js');
  const { Dismissals } = await import('../../../server/src/next-edit/quiet/dismissals.js');
  const { EditHistory } = await import('../../../server/src/next-edit/history/edit-history.js');
  const { MeetingOldText } = await import('../../../server/src/next-edit/rewrite/meeting-old-text.js');
  const { likelyRegions } = await import('../../../server/src/next-edit/rewrite/regions.js');
  const { zeta21 } = await import('../../../server/src/next-edit/formats/zeta-2-1.js');
  const { StopTracker } = await import('../../../server/src/completion/generation/stop-tracker.js');

  const language = (id: string) => {
    const found = languageById(id);
    if (found === null) throw new Error(`No support for ${id}`);
    return found;
  };
  const cursorIn = (text: string, offset: number) => {
    const document = { uri: 'file:///a', languageId: 'typescript', text };
    const cursor = cursorContextAt(text, offset, null);
    return { cursor, offset, syntax: cursorSyntaxAt(LEXICAL, document, offset, null) };
  };
  const filtered = (document: string, offset: number, text: string) =>
    postProcess({
      ...cursorIn(document, offset),
      ...{ text, finished: true, path: 'src/a.ts', recentEdits: [] },
    });
  const generated = (document: string, offset: number, text: string) => {
    const { cursor, syntax } = cursorIn(document, offset);
    const tracker = new StopTracker(chooseStopRule(cursor, syntax));
    tracker.push(text);
    return [tracker.showable, tracker.end()];
  };
  /** Behind lines that look as the edits left them. */
  const dueIn = (hostile: string, edits: readonly EditedText[]) => {
    const text = `${[RENAMED, NEW_PARAMETER, RENAMED_TAG].map(({ updated }) => updated).join('')}${hostile}`;
    const document = { uri: EDITED.uri, languageId: 'vue', text, syntax: new LexicalSyntax('vue', text) };
    return new RepeatedEdits(edits, () => document).in(document);
  };
  const works: Record<string, (text: string) => unknown> = {
    ...(await streamedWorks()),
    ...(await chatWorks()),
    ...(await extensionWorks()),
    ...(await projectWorks()),
    'unsuitable text': (text) => isUnsuitable(text),
    'secret text': (text) => holdsSecret(text),
    'secret names': (text) => hasSecretName(text),
    'partners of tags': (text) => dueIn(text, [RENAMED_TAG]),
    'snippet windows': (text) => [...snippetWindows(text.split('\n'))],
    'names in diagnostics': (text) => new DiagnosedNames().set('file:///a', text.split('\n')),
    'kind of an edit': (text) => [
      classifyEdit([{ offset: 0, removed: 'a', inserted: text }], () => false),
      classifyEdit([{ offset: 0, removed: text, inserted: '' }, BLANK], () => false),
    ],
    'next edits in a hostile document': (text) => dueIn(text, [RENAMED, NEW_PARAMETER]),
    'next edits of which one like them may have been refused': (text) => {
      const dismissals = new Dismissals();
      dismissals.add('c', { start: 0, end: 1, newText: 'd' }, null);
      return wordsIn(text, 'a').filter((at) => dismissals.has(text, { start: at, end: at + 1, newText: 'b' }, null));
    },
    'next edits after a hostile edit': (text) => {
      const history = new EditHistory(() => text);
      history.edited('file:///a', [{ offset: 0, removed: 'b', inserted: text.slice(0, 1_000) }]);
      return dueIn(text, history.recent());
    },
    'whether a hostile file sees a declaration': (text) => {
      const file = { uri: 'file:///work/a.ts', languageId: 'typescript', text };
      return seesDeclaration(file, { ...file, uri: 'file:///work/b.ts', text: '' }, 'a');
    },
    'the lines where the next edit may be': (text) =>
      likelyRegions(text, text.length >> 1, [RENAMED, NEW_PARAMETER], { before: 10, behind: 10 }),
    'the lines of another document where the next edit may be': (text) =>
      likelyRegions(text, null, [RENAMED, NEW_PARAMETER], { before: 10, behind: 10 }),
    'a hostile rewrite that meets the old text': (text) => {
      const meeting = new MeetingOldText(text, `${text}a`, 0);
      meeting.push(`b${text}`);
      return [meeting.accepted, meeting.oldOffset];
    },
    'a hostile rewrite': (text) =>
      zeta21.promptFor({ ...REWRITTEN, original: text, current: text }).read(`<|marker_1|>${text}<|marker_2|>`),
    'filters in a hostile document': (text) => filtered(text, text.length >> 1, 'value(a, b);\nnext();'),
    'filters of a hostile answer': (text) => filtered('const a = ;\n', 10, text),
    'the end of an answer in a hostile document': (text) => generated(text, text.length >> 1, 'value(a, b);\nnext();'),
    'hostile tools in a template': (text) => splitQuoted(text),
    'the name of a document in a hostile folder': (text) => documentPath(`file:///a/${text}`, [`file:///a/${text}`]),
    'the end of a hostile answer': (text) => generated('const a = ;\n', 10, text),
    'where a hostile suggestion may be cut': (text) =>
      (['code', 'comment', 'string'] as const).map((scope) =>
        sensibleEnds(text, { languageId: 'python', scope, linePrefix: 'f(' }),
      ),
    'where a suggestion in a hostile line may be cut': (text) =>
      sensibleEnds('value(a, b);\nnext();', { languageId: 'typescript', scope: 'code', linePrefix: text }),
  };
  for (const id of LANGUAGES) {
    works[`imports in ${id}`] = (text) =>
      importsOf(language(id), text).flatMap((each) => language(id).importTargets(each, '/work/src/a/b.x', '/work'));
    works[`declarations in ${id}`] = (text) => language(id).declarations(text.split('\n'));
  }
  for (const id of SCANNED) {
    works[`scan in ${id}`] = (text) => [
      scanText(text, INITIAL_STATE, lexicalRulesFor(id)),
      text.split('\n').map((line) => opensBlock(line, id)),
    ];
  }
  return works;
}

const NAMES = [
  ...['unsuitable text', 'secret text', 'secret names', 'snippet windows', 'names in diagnostics', 'kind of an edit'],
  'partners of tags',
  ...['filters in a hostile document', 'filters of a hostile answer'],
  ...['next edits in a hostile document', 'next edits after a hostile edit', 'the lines where the next edit may be'],
  'the lines of another document where the next edit may be',
  'next edits of which one like them may have been refused',
  'whether a hostile file sees a declaration',
  ...['a hostile rewrite that meets the old text', 'a hostile rewrite'],
  ...['the end of an answer in a hostile document', 'the end of a hostile answer'],
  ...['hostile tools in a template', 'the name of a document in a hostile folder'],
  ...['where a hostile suggestion may be cut', 'where a suggestion in a hostile line may be cut'],
  ...LANGUAGES.flatMap((id) => [`imports in ${id}`, `declarations in ${id}`]),
  ...SCANNED.map((id) => `scan in ${id}`),
  ...STREAMED,
  ...CHAT,
  ...EXTENSION,
  ...PROJECTS,
];

async function expectLinear(name: string, text: (length: number) => string): Promise<void> {
  const work = works[name];
  if (work === undefined) throw new Error(`No work ${name}`);
  const grown = LENGTHS.map(text);
  const characters = grown.reduce((sum, { length }) => sum + length, 0);
  const limit = characters * (STEPS_OF_MUCH[name] ?? STEPS_PER_CHARACTER) + 2_000;
  const workAll = async (): Promise<void> => {
    for (const each of grown) await work(each);
  };
  expect(await counter.count(workAll, limit)).toBeLessThan(limit);
}

property(
  'counts a search that finds what the real one finds',
  some(0, 30),
  async (text) => {
    const found = () => Promise.all(Object.entries(works).map(async ([name, work]) => [name, await work(text)]));
    const expected = await found();
    let counted: unknown;
    await counter.count(async () => {
      counted = await found();
    }, Number.POSITIVE_INFINITY);
    expect(counted).toEqual(expected);
    await counter.forget();
  },
  { runs: RUNS },
);

it('every reader is in the list', () => {
  expect(Object.keys(works).sort()).toEqual([...NAMES].sort());
});

describe('steps grow with the text and no faster', () => {
  property(
    'in every reader of text',
    fc.record({ name: fc.constantFrom(...NAMES), growing }),
    ({ name, growing: { text } }) => expectLinear(name, text),
    { runs: RUNS * NAMES.length },
  );

  it.each<Found>([
    ...FOUND_IN_EXTENSION,
    ...FOUND_IN_LANGUAGES,
    ...FOUND_IN_PROJECTS,
    ['scan in typescript', '', 'a/'],
    ['scan in typescript', '', ' /'],
    ['scan in lua', '', 'function '],
    ['where a hostile suggestion may be cut', '', '( '],
    ['where a hostile suggestion may be cut', '', 'a '],
    ['where a hostile suggestion may be cut', '', '"a'],
    ['secret text', '', 'eyJ-'],
    ['secret names', '', 'secret.'],
    ['kind of an edit', '', 'a'],
    ['next edits in a hostile document', '', 'a//'],
    ['next edits of which one like them may have been refused', '', 'a '],
    ['filters in a hostile document', '', '('],
    ['filters in a hostile document', '', ')'],
    ['filters of a hostile answer', 'a', ' '],
    ['filters of a hostile answer', '```', ' '],
    ['filters of a hostile answer', '', 'a '],
    ['filters of a hostile answer', '\nfile', '\t', '-src/a.ts'],
    ['the end of a hostile answer', '', 'a'],
    ['the end of a hostile answer', '', ');'],
    ['the end of a hostile answer', '//', '#', '\u2028;\n'],
    ['hostile tools in a template', '', '\uE002'],
    ['the name of a document in a hostile folder', '', '/', 'a'],
    ['the end of an answer in a hostile document', '', 'a'],
    ['the end of an answer in a hostile document', '', ' ', 'import'],
    ['events of a remote server', '中', '\n', '\r'],
    ['a call behind a marker, piece by piece', 'a', ' '],
    ['a call behind a marker, piece by piece', 'a[CALL_ID]', ' '],
    ...CHAT.map((name): [string, string, string] => [name, '', 'a']),
    ...STREAMED.flatMap((name) =>
      [' ', 'a', '<', '{', '<function=', '<parameter=a>', '<|end|>', '[ARGS]a'].map(
        (unit): [string, string, string] => [name, '', unit],
      ),
    ),
  ])('%s, as it was found (%#)', async (name, head, unit, tail = '') => {
    await expectLinear(name, (length) => head + unit.repeat(Math.ceil(length / unit.length)) + tail);
  });
});

describe('steps grow with the pattern times the path and no faster', () => {
  const patterns = fc
    .array(fc.constantFrom('*', '*', '**', '**/', '/', '?', 'a', 'a', 'b', '[a-c]', '[!a]', '{a,*b}', '.', '\\', '!'), {
      minLength: 1,
      maxLength: 40,
    })
    .map((pieces) => pieces.join(''));
  const paths = fc
    .array(fc.constantFrom('a', 'a', 'b', 'a/', '/', '.'), { minLength: 1, maxLength: 4 })
    .map((pieces) => (length: number) => pieces.join('').repeat(Math.ceil(length / pieces.join('').length)));

  const matchers: Readonly<Record<string, (pattern: string) => Promise<(path: string) => unknown>>> = {
    globs: async (pattern) => {
      const { excludedByGlobs } = await import('../../../server/src/context/admission/excluded-globs.js');
      return excludedByGlobs([pattern]).excludes;
    },
    'rules of .gitignore': async (pattern) => {
      const admission = await import('../../../server/src/context/admission/ignore-rules.js');
      const rules = admission.parseIgnoreRules(pattern);
      return (path) => admission.ignoredByRules(rules, path.split('/'), false);
    },
  };

  property(
    'in every matcher',
    fc.record({ name: fc.constantFrom(...Object.keys(matchers)), pattern: patterns, path: paths }),
    async ({ name, pattern, path }) => {
      const matches = await matchers[name]?.(pattern);
      if (matches === undefined) throw new Error(`No matcher ${name}`);
      for (const length of [100, 1_000]) {
        const grown = path(length);
        // Braces and slashes make a pattern longer when it is compiled.
        const limit = 40 * (pattern.length * 8 + 8) * grown.length + 2_000;
        await counter.forget();
        expect(await counter.count(() => matches(grown), limit)).toBeLessThan(limit);
      }
    },
    {
      runs: RUNS * 4,
      examples: Object.keys(matchers).flatMap((name) => [
        { name, pattern: '**/*a*a*a*a*b', path: (length: number) => 'a'.repeat(length) },
        { name, pattern: 'a/**/a/**/a/**/b', path: (length: number) => 'a/'.repeat(length / 2) },
      ]),
    },
  );
});

describe('steps of hostile .gitignore files stay below a limit', () => {
  const folder = new TemporaryFolder();
  afterAll(() => folder.dispose());

  const names = (depth: number) => 'a/'.repeat(depth);
  const fill = (line: string) => `${line}\n`.repeat(Math.floor(65_535 / (line.length + 1)));
  const files = {
    'at every level': { rules: fill(`**/${names(250)}b`), levels: 150 },
    'with one long rule': { rules: `**/${names(32_000)}b\n`, levels: 1 },
    'at the top': { rules: fill(`**/${names(20)}**/${names(20)}b`), levels: 1 },
    'that look for folders again and again': { rules: fill(`**/${names(12)}b/**/c`), levels: 1 },
  };

  it.each(Object.entries(files))('%s', async (name, { rules, levels }) => {
    const { GitIgnore } = await import('../../../server/src/context/admission/git-ignore.js');
    const root = `${pathFromFileSystem(folder.path)}/${name.replaceAll(' ', '-')}`;
    mkdirSync(`${root}/${names(150)}`, { recursive: true });
    for (let level = 0; level < levels; level++) writeFileSync(`${root}/${names(level)}.gitignore`, rules);
    const ignore = new GitIgnore(SILENT);
    const limit = 100_000_000;
    await counter.forget();
    for (const depth of [10, 60, 149]) {
      const work = () => ignore.ignores(`${root}/${names(depth)}c.ts`, root);
      expect(await counter.count(work, limit)).toBeLessThan(limit);
    }
  });

  it('of folders are counted once', async () => {
    const { GitIgnore } = await import('../../../server/src/context/admission/git-ignore.js');
    const root = `${pathFromFileSystem(folder.path)}/once`;
    mkdirSync(`${root}/${names(30)}`, { recursive: true });
    writeFileSync(`${root}/.gitignore`, 'x\n'.repeat(500));
    const ignore = new GitIgnore(SILENT);
    const stepsOf = (file: string) => counter.count(() => ignore.ignores(`${root}/${names(30)}${file}`, root), 1e9);
    await counter.forget();
    const first = await stepsOf('first.ts');
    expect(await stepsOf('second.ts')).toBeLessThan(first / 5);
    expect(await stepsOf('second.ts')).toBeLessThan(first / 50);
  });
});
