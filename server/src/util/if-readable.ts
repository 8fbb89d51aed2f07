/**
 * For files that are optional: a missing, inaccessible or deleted file gives null. Throws every error that does not
 * come from the file system.
 */
export async function ifReadable<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
