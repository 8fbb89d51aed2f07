/**
 * The repository that a command without one is about: the one that holds the file, the innermost where repositories
 * are inside one another; otherwise the first.
 *
 * @param file address of the active editor's file; null without one
 */
export function chooseRepository<T extends { readonly rootUri: { toString(): string } }>(
  repositories: readonly T[],
  file: string | null,
): T | null {
  const holding = repositories.flatMap((repository) => {
    const root = repository.rootUri.toString().replace(/\/$/, '');
    return file?.startsWith(`${root}/`) ? [{ repository, depth: root.length }] : [];
  });
  const [innermost] = holding.sort((left, right) => right.depth - left.depth);
  return innermost?.repository ?? repositories[0] ?? null;
}
