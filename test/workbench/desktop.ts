import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';

/**
 * `npm run test:desktop`: runs test/workbench/suite in a desktop VS Code. `INKLING_VSCODE` names an installed one;
 * otherwise test-electron downloads it. Without either the run is skipped with a message.
 */
const root = path.resolve(__dirname, '../../..');
const DOWNLOAD_TIMEOUT_MS = 30_000;

async function findVSCode(): Promise<string | undefined> {
  const installed = process.env.INKLING_VSCODE;
  if (installed !== undefined) return installed;
  try {
    return await downloadAndUnzipVSCode({ timeout: DOWNLOAD_TIMEOUT_MS, cachePath: path.join(root, '.vscode-test') });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.warn(`SKIPPED: the desktop suite did not run, because VS Code cannot be downloaded here (${reason}).`);
    console.warn('Set INKLING_VSCODE to the executable of an installed VS Code to run it.');
    return undefined;
  }
}

async function main(): Promise<void> {
  const vscodeExecutablePath = await findVSCode();
  if (vscodeExecutablePath === undefined) return;
  const workspaceFolder = mkdtempSync(path.join(tmpdir(), 'inkling-desktop-'));
  try {
    await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: root,
      extensionTestsPath: path.join(__dirname, 'suite/index.js'),
      launchArgs: [workspaceFolder, '--disable-extensions', '--disable-workspace-trust', '--skip-welcome'],
    });
  } finally {
    rmSync(workspaceFolder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
