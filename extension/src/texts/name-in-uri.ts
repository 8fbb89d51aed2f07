/**
 * The decoded last part of a URI's path, such as a file's name. What follows the path names a cell of a notebook, or a
 * kind of one. A name whose escapes are malformed stays as it is.
 */
export function nameInUri(uri: string): string {
  // In a name both characters are encoded.
  const [path = ''] = uri.split(/[?#]/, 1);
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.indexOf(':')) + 1);
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return name;
    throw error;
  }
}
