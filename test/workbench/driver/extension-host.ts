import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { format } from 'node:util';
import type { Browser } from 'playwright-core';
import { CodeServer, inklingTrace, type Workbench } from './code-server.js';
import { type Counts, countsOf, indent, reportTest } from './reporter.js';
import { openContext } from './workbench-page.js';

const TIME_LIMIT_MS = 5 * 60_000;

/** Of a log that is shown after a failure. */
const LOG_LINES = 120;

/** Lines of that log which say what became of a request for suggestions. */
const IS_DECISION = /\bSuggestions? |\(\d+ ms\)$/;
/** Of them, shown before each note. */
const DECISIONS = 6;

export interface ExtensionHostOptions {
  readonly workbench: Workbench;
  readonly browser: Browser;
  /** Of temporary files. */
  readonly folder: string;
  /** The open workspace. */
  readonly workspace: string;
  /** Folder of the unpacked extension. */
  readonly extension: string;
  /** The built suite/index.js. */
  readonly suite: string;
  /** Folder for Mocha's results as JSON and, after a failure, a picture and the log. */
  readonly output: string;
}

/** The used part of the results of Mocha's JSON reporter. */
interface MochaReport {
  readonly stats: Mocha.Stats;
  readonly tests: readonly MochaTest[];
  readonly failures: readonly MochaTest[];
  readonly pending: readonly MochaTest[];
}

interface MochaTest {
  readonly fullTitle: string;
  readonly duration?: number;
  readonly err: { readonly message?: string; readonly stack?: string };
}

/**
 * Runs the suite of test-electron in code-server's extension host. It passes the same parameters: a development path
 * and a tests path, here in the page's address. The workbench accepts them only with the smoke test driver, which also
 * silences notifications, so this is a separate server. The oldest VS Code takes no environment from the address.
 */
export async function runExtensionHostSuite(options: ExtensionHostOptions): Promise<Counts> {
  const server = new CodeServer(options.workbench, options.folder);
  const context = await openContext(options.browser);
  const log: string[] = [];
  rmSync(notesFile(options), { force: true });
  try {
    const address = await server.start(['enable-smoke-test-driver'], { MOCHA_JSON: reportFile(options) });
    const page = await context.newPage();
    const finished = new Promise<number>((resolve) => {
      void page.exposeFunction('codeAutomationExit', resolve);
    });
    await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
      log.push(`[${type}] ${format(...args)}`);
    });
    await page.goto(pageAddress(address, options));
    const exitCode = await Promise.race([finished, delay(TIME_LIMIT_MS, 'no end' as const, { ref: false })]);
    const inklingLog = server.inklingLog().trimEnd().split('\n');
    const counts = summarize(reportFile(options), exitCode, log, evidenceOf(notesOf(options), inklingLog));
    if (counts.failed > 0) {
      console.log(`the end of Inkling's log:\n${indent(inklingLog.slice(-LOG_LINES).join('\n'))}`);
      await page.screenshot({ path: path.join(options.output, 'failure-extension-host.png') });
      writeFileSync(path.join(options.output, 'failure-extension-host.inkling.log'), server.inklingLog());
    }
    return counts;
  } finally {
    await context.close();
    await server.stop();
  }
}

function reportFile({ output }: ExtensionHostOptions): string {
  return path.join(output, 'extension-host.json');
}

function notesFile(options: ExtensionHostOptions): string {
  return `${reportFile(options)}.notes`;
}

function pageAddress(address: string, options: ExtensionHostOptions): string {
  const { workspace, extension, suite } = options;
  const remote = (file: string) => `vscode-remote://${address}${file}`;
  const payload = [
    ['extensionDevelopmentPath', remote(extension)],
    ['extensionTestsPath', remote(suite)],
    ['logLevel', inklingTrace(options.workbench)],
  ];
  return `http://${address}/?${new URLSearchParams({ folder: workspace, payload: JSON.stringify(payload) })}`;
}

/** Notes of suite/inkling.ts. */
function notesOf(options: ExtensionHostOptions): readonly string[] {
  const file = notesFile(options);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

/** The notes, and what became of the requests before each. Both begin with their time. */
function evidenceOf(notes: readonly string[], inklingLog: readonly string[]): readonly string[] {
  const lines = [...inklingLog.filter((line) => IS_DECISION.test(line)), ...notes].sort();
  return lines.filter((_, index) => lines.slice(index, index + 1 + DECISIONS).some((line) => notes.includes(line)));
}

/** @param evidence lines that say why a suggestion may not have come */
function summarize(
  file: string,
  exitCode: number | 'no end',
  log: readonly string[],
  evidence: readonly string[],
): Counts {
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as MochaReport) : undefined;
  for (const test of report?.tests ?? []) {
    const isIn = (list: readonly MochaTest[]) => list.some(({ fullTitle }) => fullTitle === test.fullTitle);
    const state = isIn(report?.failures ?? []) ? 'failed' : isIn(report?.pending ?? []) ? 'pending' : 'passed';
    reportTest(['extension host', test.fullTitle], state, test.duration);
  }
  for (const { fullTitle, err } of report?.failures ?? []) {
    console.log(`  FAILED  ${fullTitle}\n${indent(err.stack ?? err.message ?? 'without an error')}`);
  }
  const counts = countsOf(report?.stats);
  if (exitCode === 0 && counts.passed > 0) return counts;
  if (evidence.length > 0) console.log(indent(evidence.join('\n')));
  console.log(`the extension host ended the suite with: ${exitCode}\n${indent(log.slice(-40).join('\n'))}`);
  return counts.failed > 0 ? counts : { ...counts, failed: 1 };
}
