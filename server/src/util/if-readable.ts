/**
 * For files that are looked at and not relied upon: what is missing, closed to us or gone meanwhile is null. Anything
 * but an error of the file system is thrown on.
 */
export async function ifReadable<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
