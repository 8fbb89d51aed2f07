import picomatch from 'picomatch';

/**
 * A test for the files that globs name. As in VS Code, a glob is relative to the workspace folder, and a folder
 * includes everything in it. As in .gitignore, a glob without a slash matches that name in any folder.
 *
 * @returns takes a path relative to the workspace folder, or an absolute path of a file outside
 */
export function excludedByGlobs(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs
    .map((glob) =>
      glob
        .trim()
        .replaceAll('\\', '/')
        .replace(/^\.?\//, '')
        .replace(/\/+$/, ''),
    )
    .filter((glob) => glob !== '')
    .map((glob) => (glob.includes('/') ? glob : `**/${glob}`));
  if (patterns.length === 0) return () => false;
  const matches = picomatch(
    patterns.flatMap((pattern) => [pattern, `${pattern}/**`]),
    { dot: true, nocase: true },
  );
  return (path) => matches(path.replace(/^\/+/, ''));
}
