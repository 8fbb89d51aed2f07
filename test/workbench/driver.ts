import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Mocha from 'mocha';
import type { Browser } from 'playwright-core';
import { ModelServer } from '../support/hosts/model-server.js';
import { Bench } from './driver/bench.js';
import type { Workbench } from './driver/code-server.js';
import { runExtensionHostSuite } from './driver/extension-host.js';
import { type Counts, countsOf, LineReporter, sum } from './driver/reporter.js';
import { launchBrowser } from './driver/workbench-page.js';
import { testChat } from './ui/chat/chat.js';
import { testInlineEdit } from './ui/chat/inline-edit.js';
import { testPanel } from './ui/chat/panel.js';
import { testGerman } from './ui/german.js';
import { testLooks } from './ui/looks.js';
import { testMemory } from './ui/memory.js';
import { testModels } from './ui/models.js';
import { testNextEdit } from './ui/next-edit/next-edit.js';
import { testNextEditLooks } from './ui/next-edit/next-edit-looks.js';
import { testNextEditPicture } from './ui/next-edit/next-edit-picture.js';
import { testOpening } from './ui/opening.js';
import { testPictures } from './ui/picture.js';
import { testEnd, testHang, testRecovery } from './ui/recovery.js';
import { testRemote } from './ui/remote.js';
import { testStatus } from './ui/status.js';
import { testSuggestions } from './ui/suggestions.js';
import { testTrust } from './ui/trust.js';
import { testWalkthrough } from './ui/walkthrough.js';
import { testWindows } from './ui/windows.js';

const TEST_TIME_LIMIT_MS = 120_000;

const REPOSITORY_URL = 'http://models.test';
/** The name of the part that runs inside the extension host. */
const EXTENSION_HOST_PART = 'extension-host';
const STARTER_MODEL = 'media/model/inkling-starter-55m-Q4_K_M.gguf';

export interface DriverOptions {
  readonly workbench: Workbench;
  /** Executable of the browser. */
  readonly chromium: string;
  /** The package under test. */
  readonly vsix: string;
  /** The repository's root. */
  readonly root: string;
  /** Folder for screenshots and, after a failure, logs. */
  readonly output: string;
  /** Folder for the pictures of README and walkthrough; null keeps the present ones. */
  readonly pictures: string | null;
  /** Names of parts; null for all. Opening the editor always comes first. */
  readonly only: readonly string[] | null;
  /** Names of parts that do not run where all do. */
  readonly leaveOut: readonly string[];
}

/** Drives a real VS Code workbench; run.mjs calls this once everything is installed. */
export async function runWorkbenchTests(options: DriverOptions): Promise<Counts> {
  const folder = mkdtempSync(path.join(tmpdir(), 'inkling-workbench-'));
  // Never throws: Mocha would take an error of the process's end for one of its test, and the process would go on.
  const removeFolder = () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      console.log(`${folder} was not removed: ${String(error)}`);
    }
  };
  process.on('exit', removeFolder);
  const browser = await launchBrowser(options.chromium, folder);
  const repository = await ModelServer.start();
  try {
    const shared = {
      workbench: options.workbench,
      browser,
      fixtures: path.join(options.root, 'test/fixtures/workbench'),
      output: options.output,
      // Only the proxy knows this host, so a file from it came through VS Code's proxy setting.
      userSettings: { 'http.proxy': repository.url },
      machineSettings: { 'inkling.model.repositoryUrl': REPOSITORY_URL },
    };
    const welcoming = {
      ...shared.machineSettings,
      'workbench.welcomePage.walkthroughs.openOnInstall':
        options.only?.includes('walkthrough') ?? !options.leaveOut.includes('walkthrough'),
    };
    const bench = new Bench({ ...shared, machineSettings: welcoming, folder: path.join(folder, 'ui') });
    const numbered = { ...shared.userSettings, 'inkling.status.memory': 'always' };
    const germanBench = new Bench({ ...shared, userSettings: numbered, folder: path.join(folder, 'german') });
    const sharing = { ...shared.machineSettings, 'inkling.engine.share': 'on' };
    const windowsBench = new Bench({ ...shared, machineSettings: sharing, folder: path.join(folder, 'windows') });
    const careful = {
      ...shared.userSettings,
      'security.workspace.trust.startupPrompt': 'never',
      'inkling.languages': { '*': true, python: false },
    };
    const trustBench = new Bench({
      ...shared,
      userSettings: careful,
      restricts: true,
      folder: path.join(folder, 'trust'),
    });
    const separate = { germanBench, windowsBench, trustBench };
    try {
      return await runSideBySide({ bench, ...separate }, { browser, repository, folder }, options);
    } finally {
      for (const each of [bench, ...Object.values(separate)]) await each.close();
    }
  } finally {
    await browser.close();
    await repository.stop();
    removeFolder();
    process.off('exit', removeFolder);
  }
}

/** Editors without shared state. */
interface Benches {
  readonly bench: Bench;
  readonly germanBench: Bench;
  readonly windowsBench: Bench;
  readonly trustBench: Bench;
}

/** What the editors share. */
interface Surroundings {
  readonly browser: Browser;
  readonly repository: ModelServer;
  /** Of temporary files. */
  readonly folder: string;
}

/**
 * The tests in the shared editor, and beside them those in editors of their own: each waits for its editor half of the
 * time.
 */
async function runSideBySide(
  { bench, germanBench, windowsBench, trustBench }: Benches,
  { browser, repository, folder }: Surroundings,
  options: DriverOptions,
): Promise<Counts> {
  const { vsix, root, pictures, only, leaveOut } = options;
  const starterModel = path.join(root, STARTER_MODEL);
  const inSharedEditor: Parts = {
    walkthrough: () => testWalkthrough(bench),
    pictures: () => {
      if (pictures !== null) testPictures(bench, pictures);
    },
    'next-edit-picture': () => {
      if (pictures !== null) testNextEditPicture(bench, pictures);
    },
    suggestions: () => testSuggestions(bench),
    'next-edit': () => testNextEdit(bench),
    'next-edit-looks': () => testNextEditLooks(bench),
    status: () => testStatus(bench),
    memory: () => testMemory(bench),
    models: () => testModels(bench, repository, starterModel),
    recovery: () => testRecovery(bench),
    hang: () => testHang(bench),
    remote: () => testRemote(bench),
    panel: () => testPanel(bench),
    chat: () => testChat(bench, starterModel),
    'inline-edit': () => testInlineEdit(bench),
    looks: () => testLooks(bench),
    end: () => testEnd(bench),
  };
  const inOwnEditors: Parts = {
    german: () => testGerman(germanBench, vsix),
    windows: () => testWindows(windowsBench, vsix),
    trust: () => testTrust(trustBench, vsix),
  };
  const parts = [...Object.keys(inSharedEditor), ...Object.keys(inOwnEditors), EXTENSION_HOST_PART];
  const unknown = only?.filter((name) => !parts.includes(name)) ?? [];
  if (unknown.length > 0) throw new Error(`no part is called ${unknown.join(', ')}; there are ${parts.join(', ')}`);
  const chosen = only ?? parts.filter((name) => !leaveOut.includes(name));

  const shared = suiteOf(chosen, inSharedEditor, () => {
    bench.keepEvidenceOfFailures();
    testOpening(bench, vsix);
  });
  const own = suiteOf(chosen, inOwnEditors);
  const inShared = run(shared);
  const beside = async () => {
    const counts = await run(own);
    await Promise.race([bench.installed, inShared]);
    if (!bench.isInstalled || !chosen.includes(EXTENSION_HOST_PART)) return counts;
    return sum([counts, await runInExtensionHost(browser, folder, bench, options)]);
  };
  return sum(await Promise.all([inShared, beside()]));
}

/** What defines the tests of a part, by its name. */
type Parts = Readonly<Record<string, () => void>>;

/** A suite of the chosen parts, in their order; `begin` defines what comes before them. */
function suiteOf(chosen: readonly string[], parts: Parts, begin?: () => void): Mocha {
  const mocha = new Mocha({ ui: 'bdd', timeout: TEST_TIME_LIMIT_MS, reporter: LineReporter });
  // Like Mocha before it loads a file: defines `describe`, `it` and the hooks as globals.
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, '', mocha);
  begin?.();
  for (const [name, define] of Object.entries(parts)) if (chosen.includes(name)) define();
  return mocha;
}

function run(mocha: Mocha): Promise<Counts> {
  return new Promise((resolve) => {
    const runner = mocha.run(() => resolve(countsOf(runner.stats)));
  });
}

async function runInExtensionHost(
  browser: Browser,
  folder: string,
  bench: Bench,
  { workbench, root, output }: DriverOptions,
): Promise<Counts> {
  const workspace = path.join(folder, 'extension-host-workspace');
  mkdirSync(workspace);
  return runExtensionHostSuite({
    workbench,
    browser,
    folder: path.join(folder, 'extension-host'),
    workspace,
    extension: bench.unpackedExtension,
    suite: path.join(root, 'dist/test/workbench/suite/index.js'),
    output,
  });
}
