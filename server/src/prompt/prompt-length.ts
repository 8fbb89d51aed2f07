/** The lengths of prompts, in tokens. Few of them, so that a prompt seldom changes its length. */
export const PROMPT_LENGTHS = [
  768, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120, 6144, 8192, 10_240, 12_288, 16_384,
] as const;

/** The most that evaluating a whole prompt may take. It happens in a new file, and when the cursor leaves its place. */
const COLD_SECONDS = 0.8;

/** A length gives way to the next one only where the speed is clearly beyond: a machine is never equally fast. */
const CLEARLY_LONGER = 1.1;
const CLEARLY_SHORTER = 0.85;

const SHORTEST: number = PROMPT_LENGTHS[0];

/**
 * How long a prompt may be where a machine evaluates this many tokens in a second.
 *
 * @param present the length in use, which stays unless another fits clearly better; null without one
 */
export function promptLengthFor(tokensPerSecond: number, present: number | null): number {
  const affordable = tokensPerSecond * COLD_SECONDS;
  if (present === null) return longestWithin(affordable);
  const longer = longestWithin(affordable / CLEARLY_LONGER);
  if (longer > present) return longer;
  return affordable < present * CLEARLY_SHORTER ? longestWithin(affordable) : present;
}

function longestWithin(tokens: number): number {
  return PROMPT_LENGTHS.findLast((length) => length <= tokens) ?? SHORTEST;
}

/** What decides the speed of a model that was never measured. */
export interface SpeedFacts {
  readonly modelBytes: number;
  /** `shared`: a GPU with the machine's memory, such as Apple's. */
  readonly device: 'cpu' | 'shared' | 'gpu';
  readonly threads: number;
}

/** Model bytes times tokens a second: of one thread, and of a small GPU of each kind. */
const WORK_OF_THREAD = 2.5e10;
const WORK_OF_SHARED_GPU = 1e12;
const WORK_OF_GPU = 1e13;

/** Longer prompts take memory that only a measured speed is worth. */
const LONGEST_GUESSED = 8192;

/** The length of the first prompts. */
export function guessedPromptLength(facts: SpeedFacts): number {
  return Math.min(LONGEST_GUESSED, promptLengthFor(guessedSpeed(facts), null));
}

/** A guess in tokens a second, good enough for the first prompts. */
function guessedSpeed({ modelBytes, device, threads }: SpeedFacts): number {
  const work = { cpu: WORK_OF_THREAD * threads, shared: WORK_OF_SHARED_GPU, gpu: WORK_OF_GPU }[device];
  return work / Math.max(1, modelBytes);
}
