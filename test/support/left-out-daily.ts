/**
 * Whether this is `npm test` without `--all`, which leaves out what takes minutes and few changes can break. Says on the
 * console what it leaves out.
 */
export function isLeftOutDaily(leftOut: string): boolean {
  if (process.env.INKLING_TEST_SCALE !== 'quick') return false;
  console.warn(`LEFT OUT: ${leftOut}: npm test -- --all runs it`);
  return true;
}
