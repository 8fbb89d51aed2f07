/** A setting's value in each scope, as `WorkspaceConfiguration.inspect` gives them; undefined where it is not set. */
export interface ScopedValues {
  readonly defaultValue?: unknown;
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/**
 * The items of a list in all scopes. VS Code takes the innermost list alone, so that a workspace could empty the user's.
 * What is no list is one item, so that the parser can name it.
 */
export function unitedList(scopes: ScopedValues | undefined): unknown[] {
  const { defaultValue, globalValue, workspaceValue, workspaceFolderValue } = scopes ?? {};
  const values = [globalValue ?? defaultValue, workspaceValue, workspaceFolderValue];
  return [...new Set(values.flatMap((value) => (value === undefined || value === null ? [] : value)))];
}

/**
 * The globs of `files.exclude` that are on without a condition. The user may turn off a default; a workspace may add
 * globs, and turns off none.
 *
 * @param folders the setting for the window and for each folder
 */
export function hiddenGlobs(folders: readonly (ScopedValues | undefined)[]): string[] {
  const hidden = folders.flatMap((scopes) => {
    const user = { ...objectOf(scopes?.defaultValue), ...objectOf(scopes?.globalValue) };
    return [user, objectOf(scopes?.workspaceValue), objectOf(scopes?.workspaceFolderValue)].flatMap((globs) =>
      Object.entries(globs).flatMap(([glob, isHidden]) => (isHidden === true ? [glob] : [])),
    );
  });
  return [...new Set(hidden)];
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
