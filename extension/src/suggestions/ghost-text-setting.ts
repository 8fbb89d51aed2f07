/** VS Code's own setting. Folders and languages may have values of their own. */
export const GHOST_TEXT_SETTING = 'editor.inlineSuggest.enabled';

interface ScopedConfiguration {
  get(key: string): unknown;
  inspect(key: string): { readonly languageIds?: readonly string[] } | undefined;
}

/**
 * Whether VS Code may show ghost text in any editor.
 *
 * @param scopes the configuration of the window and of each folder
 */
export function mayShowGhostText(scopes: readonly ScopedConfiguration[]): boolean {
  return scopes.some(
    (scope) =>
      scope.get(GHOST_TEXT_SETTING) !== false || (scope.inspect(GHOST_TEXT_SETTING)?.languageIds ?? []).length > 0,
  );
}
