/** VS Code's own setting. Folders and languages may have values of their own. */
export const GHOST_TEXT_SETTING = 'editor.inlineSuggest.enabled';

interface ScopedConfiguration {
  get(key: string): unknown;
  inspect(key: string): { readonly languageIds?: readonly string[] } | undefined;
}

interface Registration {
  dispose(): unknown;
}

/** What of VS Code's workspace the setting depends on. */
export interface ScopedWorkspace<Folder> {
  readonly workspaceFolders: readonly Folder[] | undefined;
  /** @param scope undefined for the window */
  getConfiguration(section: undefined, scope: Folder | undefined): ScopedConfiguration;
  onDidChangeConfiguration(listener: (event: { affectsConfiguration(section: string): boolean }) => void): Registration;
  onDidChangeWorkspaceFolders(listener: () => void): Registration;
}

/** Whether VS Code may show ghost text in any editor. */
export function mayShowGhostText<Folder>(workspace: ScopedWorkspace<Folder>): boolean {
  return [undefined, ...(workspace.workspaceFolders ?? [])].some((folder) => {
    const scope = workspace.getConfiguration(undefined, folder);
    return scope.get(GHOST_TEXT_SETTING) !== false || (scope.inspect(GHOST_TEXT_SETTING)?.languageIds ?? []).length > 0;
  });
}

/**
 * Calls the listener when `mayShowGhostText` may answer otherwise. For an added folder, VS Code says that its settings
 * have changed before the folder is one of the workspace.
 */
export function onDidChangeGhostText<Folder>(
  workspace: ScopedWorkspace<Folder>,
  listener: () => void,
): readonly Registration[] {
  return [
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(GHOST_TEXT_SETTING)) listener();
    }),
    workspace.onDidChangeWorkspaceFolders(() => listener()),
  ];
}
