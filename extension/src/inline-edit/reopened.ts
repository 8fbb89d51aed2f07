/** The part of a text document that matters here. */
interface MayBeClosed {
  readonly isClosed: boolean;
  readonly uri: { readonly scheme: string };
}

/**
 * A document that may have been closed while the model wrote, such as by another file in its tab. Null if it is gone: its
 * file was deleted or cannot be read, or it never had one.
 *
 * @param open rejects where it cannot be opened
 */
export async function reopened<Document extends MayBeClosed>(
  document: Document,
  open: () => PromiseLike<Document>,
): Promise<Document | null> {
  if (!document.isClosed) return document;
  // VS Code would make a new, empty one.
  if (document.uri.scheme === 'untitled') return null;
  try {
    return await open();
  } catch {
    return null;
  }
}
