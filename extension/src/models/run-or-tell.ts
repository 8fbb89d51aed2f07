import { reasonOf } from '../download/download-error.js';

/**
 * Runs something for which nobody waits. Never rejects: a rejection would reach nobody.
 *
 * @param sentence what failed, for the user, with the reason
 */
export type RunOrTell = (run: () => Promise<void>, sentence: (reason: string) => string) => Promise<void>;

export function runOrTell(tell: (sentence: string, thrown: unknown) => void): RunOrTell {
  return async (run, sentence) => {
    try {
      await run();
    } catch (thrown) {
      tell(sentence(reasonOf(thrown)), thrown);
    }
  };
}
