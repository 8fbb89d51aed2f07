/** What Node says went wrong, such as `ENOENT`; null for an error without a code, and for what is no error. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
