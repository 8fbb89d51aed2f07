import { extensions, type Uri, window } from 'vscode';
import { chooseRepository } from './choose-repository.js';

/** The part of the git extension's public API that Inkling uses. */
export interface GitRepository {
  readonly rootUri: Uri;
  readonly inputBox: { value: string };
  /** Read with care: versions of the git extension differ. */
  readonly state?: unknown;
  readonly ui?: unknown;
  /** @param cached the staged changes; without, those of the working tree */
  diff(cached?: boolean): Promise<string>;
  log(options: { maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

interface GitApi {
  readonly repositories: readonly GitRepository[];
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): GitApi;
}

/**
 * @param root of the repository; null for the one of the active editor's file, the selected one, or the first
 * @returns null without git or a repository
 */
export async function gitRepository(root: Uri | null): Promise<GitRepository | null> {
  const git = await extensions.getExtension<GitExtension>('vscode.git')?.activate();
  if (git?.enabled !== true) return null;
  const { repositories } = git.getAPI(1);
  if (root === null) return chooseRepository(repositories, window.activeTextEditor?.document.uri.toString() ?? null);
  return repositories.find(({ rootUri }) => rootUri.toString() === root.toString()) ?? null;
}
