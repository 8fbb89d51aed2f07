import { extensions, type Uri } from 'vscode';

/** The part of the git extension's public API that Inkling uses. */
export interface GitRepository {
  readonly rootUri: Uri;
  readonly inputBox: { value: string };
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

/** @param root of the repository; null for the only one, or the first @returns null without git or a repository */
export async function gitRepository(root: Uri | null): Promise<GitRepository | null> {
  const git = await extensions.getExtension<GitExtension>('vscode.git')?.activate();
  if (git?.enabled !== true) return null;
  const { repositories } = git.getAPI(1);
  if (root === null) return repositories[0] ?? null;
  return repositories.find(({ rootUri }) => rootUri.toString() === root.toString()) ?? null;
}
