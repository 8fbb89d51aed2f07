import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StepCounter } from '../../support/steps/count-steps.js';

/** For each character of its input, work may take this many steps: the most that honest work takes, twice. */
const STEPS_PER_CHARACTER = 150;
const LENGTHS = [500, 4_000];
const RUNS = process.env.INKLING_TEST_SCALE === 'full' ? 200 : 12;
const TIMEOUT_MS = 60_000;
/** Fixed, so that a failure is the same everywhere. */
const SEED = 20_261_122;

/** What the parsers look for, and what else makes expressions try again. */
const PIECES = [
  ...['import', 'export', 'from', 'const', 'require(', 'type', 'as', 'function', 'class', 'enum', 'interface'],
  ...['package', 'static', 'public', 'private:', 'public:', 'use', 'mod', 'pub', 'pub(', 'impl', 'for', 'fn', 'struct'],
  ...['def', '@dataclass', 'typedef', 'template', '#include', '#define', 'func', 'var', 'return', 'do', 'end', 'then'],
  ...['\n', '\n\n', '\n  ', ' ', '    ', '\t', '(', ')', '[', ']', '{', '}', '<', '>', '"', "'", '`', '"""', '\\'],
  ...[';', ':', '::', '::{', ',', '.', '*', '/', '//', '/*', '*/', '#', '=', '=>', '-', '--', '|', '&', '!', '?', '$'],
  ...['a', 'A', 'a1', '_', 'é', '\u{1f600}', '\ud800', '\0', '0', 'eyJ', 'eyJ-', 'SG.', '://', 'password', 'token='],
  ...['secret', '-----BEGIN ', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '```', '<|', '<!--', '-->'],
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

async function loadWorks() {
  const { languageById } = await import('../../../server/src/context/languages/languages.js');
  const { importsOf } = await import('../../../server/src/context/languages/language-support.js');
  const language = (id: string) => {
    const found = languageById(id);
    if (found === null) throw new Error(`No support for ${id}`);
    return found;
  };
  const ids = ['typescript', 'python', 'go', 'rust', 'java', 'cpp'];
  return Object.fromEntries(
    ids.flatMap((id) => [
      [
        `imports in ${id}`,
        (text: string) =>
          importsOf(language(id), text).flatMap((each) => language(id).importTargets(each, '/work/src/a/b.x', '/work')),
      ],
      [`declarations in ${id}`, (text: string) => language(id).declarations(text.split('\n'))],
    ]),
  );
}

const NAMES = [
  ...['typescript', 'python', 'go', 'rust', 'java', 'cpp'].flatMap((id) => [
    `imports in ${id}`,
    `declarations in ${id}`,
  ]),
];

async function expectLinear(name: string, text: (length: number) => string): Promise<void> {
  const work = works[name];
  if (work === undefined) throw new Error(`No work ${name}`);
  for (const length of LENGTHS) {
    const grown = text(length);
    const limit = grown.length * STEPS_PER_CHARACTER + 2_000;
    expect(await counter.count(() => work(grown), limit)).toBeLessThan(limit);
  }
}

it(
  'counts a search that finds what the real one finds',
  async () => {
    await fc.assert(
      fc.asyncProperty(some(0, 30), async (text) => {
        for (const work of Object.values(works)) {
          let counted: unknown;
          await counter.count(() => {
            counted = work(text);
          }, Number.POSITIVE_INFINITY);
          expect(counted).toEqual(work(text));
        }
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
  TIMEOUT_MS,
);

describe('steps grow with the text and no faster', () => {
  it.each(NAMES)(
    '%s',
    async (name) => {
      await fc.assert(
        fc.asyncProperty(growing, ({ text }) => expectLinear(name, text)),
        { numRuns: RUNS, seed: SEED },
      );
    },
    TIMEOUT_MS,
  );

  it.each([
    ['imports in typescript', 'import', '\n'],
    ['imports in typescript', '', 'import a,\n'],
    ['imports in typescript', '', 'const {a\n'],
    ['imports in java', '', '\n'],
    ['imports in java', '', 'import a.\n'],
    ['imports in python', '', 'from a import (\n'],
    ['imports in python', 'from ', '.'],
    ['imports in go', '', 'import (\n'],
    ['imports in rust', '', 'use a\n'],
    ['imports in rust', 'use ', 'a::{'],
    ['imports in rust', '', 'pub(\n'],
    ['declarations in rust', '', `impl${' '.repeat(230)}-\n`],
    ['declarations in python', '', `class A:\n  b\n${' '.repeat(230)}-\n`],
    ['declarations in cpp', '', `typedef ${'a'.repeat(230)}\n`],
    ['declarations in typescript', '', `function${' '.repeat(230)}-\n`],
  ])('%s, as it was found (%#)', async (name, head, unit) => {
    await expectLinear(name, (length) => head + unit.repeat(Math.ceil(length / unit.length)));
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

  const expectMatching = async (matches: (path: string) => unknown, pattern: string, path: string) => {
    // Braces and slashes make a pattern longer when it is compiled.
    const limit = 40 * (pattern.length * 8 + 8) * path.length + 2_000;
    expect(await counter.count(() => matches(path), limit)).toBeLessThan(limit);
  };

  it.each(['globs', 'rules of .gitignore'])('%s', async (name) => {
    const { excludedByGlobs } = await import('../../../server/src/context/admission/excluded-globs.js');
    const { ignoredByRules, parseIgnoreRules } = await import('../../../server/src/context/admission/ignore-rules.js');
    const matcher = (pattern: string): ((path: string) => unknown) => {
      if (name === 'globs') return excludedByGlobs([pattern]).excludes;
      const rules = parseIgnoreRules(pattern);
      return (path) => ignoredByRules(rules, path.split('/'), false);
    };
    await fc.assert(
      fc.asyncProperty(patterns, paths, async (pattern, path) => {
        for (const length of [100, 1_000]) await expectMatching(matcher(pattern), pattern, path(length));
      }),
      { numRuns: RUNS, seed: SEED },
    );
    await expectMatching(matcher('**/*a*a*a*a*b'), '**/*a*a*a*a*b', 'a'.repeat(4_000));
    await expectMatching(matcher('a/**/a/**/a/**/b'), 'a/**/a/**/a/**/b', 'a/'.repeat(2_000));
  });
});
