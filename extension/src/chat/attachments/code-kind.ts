/**
 * Which code a question is about that names none: what is selected, otherwise the file.
 *
 * @param selection of the active editor; undefined without one
 */
export function codeKind(selection: { readonly isEmpty: boolean } | undefined): 'selection' | 'currentFile' {
  return selection?.isEmpty === false ? 'selection' : 'currentFile';
}
