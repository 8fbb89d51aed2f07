import { type ExtensionContext, env, l10n } from 'vscode';
import { parseTranslations, setTranslations } from '../../server/protocol/index.js';
import type { InklingApi } from './api.js';
import { InklingExtension } from './extension.js';

let extension: InklingExtension | null = null;

/**
 * Only registers: the server process and the language client start in a later turn of the event loop. Activation waits
 * for no process, file or model.
 */
export function activate(context: ExtensionContext): InklingApi {
  const startedAt = performance.now();
  const usedBefore = process.cpuUsage();
  if (l10n.bundle !== undefined) setTranslations(parseTranslations({ language: env.language, texts: l10n.bundle }));
  extension = new InklingExtension(context);
  const { user, system } = process.cpuUsage(usedBefore);
  const processorMs = (user + system) / 1000;
  const elapsedMs = performance.now() - startedAt;
  extension.log.info(`Activated in ${elapsedMs.toFixed(1)} ms, ${processorMs.toFixed(1)} ms of processor time.`);
  return extension.api(processorMs);
}

/** VS Code waits a few seconds for this promise before it ends the extension host. */
export async function deactivate(): Promise<void> {
  await extension?.dispose();
  extension = null;
}
