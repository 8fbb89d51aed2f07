import { isRecord } from '../../../server/protocol/index.js';

/**
 * The repository that a command without one is about: the one that holds the file, the innermost where repositories
 * are inside one another; otherwise the one that is selected in the source control view, or the first.
 *
 * @param file address of the active editor's document, which may be another version or a part of the file; null without one
 */
export function chooseRepository<T extends { readonly rootUri: { toString(): string }; readonly ui?: unknown }>(
  repositories: readonly T[],
  file: string | null,
): T | null {
  const place = file === null ? null : placeOf(file);
  const holding = repositories.flatMap((repository) => {
    const root = placeOf(repository.rootUri.toString()).replace(/\/$/, '');
    return place?.startsWith(`${root}/`) ? [{ repository, depth: root.length }] : [];
  });
  const [innermost] = holding.sort((left, right) => right.depth - left.depth);
  const selected = repositories.find(({ ui }) => isRecord(ui) && ui.selected === true);
  return innermost?.repository ?? selected ?? repositories[0] ?? null;
}

/** Without the scheme, which also says which version of a file it is, and what follows the path. */
function placeOf(address: string): string {
  const [place = ''] = address.slice(address.indexOf(':') + 1).split(/[?#]/, 1);
  // Only addresses of the scheme `file` have an empty host.
  return place.replace(/^\/\/(?=\/)/, '');
}
