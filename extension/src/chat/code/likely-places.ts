import type { Attachment } from '../conversation/conversation.js';

/**
 * Where the code of an answer may belong, the likeliest first: what the question and those before it showed of documents,
 * each once. A file that several questions showed is one place, whatever its text was; each selection of it is another.
 */
export function likelyPlaces(shown: readonly Attachment[], most: number): readonly Attachment[] {
  const places = new Map<string, Attachment>();
  for (const attachment of shown) {
    const { kind, uri, text } = attachment;
    if (uri === null || (kind !== 'selection' && kind !== 'file')) continue;
    const key = JSON.stringify(kind === 'file' ? [uri] : [uri, text]);
    if (!places.has(key)) places.set(key, attachment);
    if (places.size === most) break;
  }
  return [...places.values()];
}
