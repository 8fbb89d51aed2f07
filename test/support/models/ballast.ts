import { STARTER_MODEL } from '../addon.js';
import { madeModel } from './made-model.js';

/** Length in the starter model. */
export const STARTER_FEED_FORWARD_LENGTH = 1536;

/**
 * Makes 1.05 billion parameters of the starter model. All of its blocks have this length, the MTP block too. Its step
 * then costs 9 % of the trunk's, head included, which is a large model's share. By parameters that share is 18 % for a
 * Qwen3.5 of 4 billion, 14 % for 9 and 6 % for 27, whose heads are most of it.
 */
const BALLAST_FEED_FORWARD_LENGTH = 51_200;

/** `Q4_K` keeps the starter's own blocks (Q4_K_M: some are Q6_K); `Q8_0` requantizes all of it. */
export type BallastQuantization = 'Q4_K' | 'Q8_0';

export const BALLAST_QUANTIZATIONS: readonly BallastQuantization[] = ['Q4_K', 'Q8_0'];

/**
 * The starter model with its feed-forward layers padded by zeros to this length. It gives exactly the answers of the
 * same quantization of the starter, at the cost of a larger model.
 *
 * @returns the path of the GGUF file
 */
export async function ballastModel(
  quantization: BallastQuantization,
  feedForwardLength = BALLAST_FEED_FORWARD_LENGTH,
): Promise<string> {
  if (quantization === 'Q4_K' && feedForwardLength === STARTER_FEED_FORWARD_LENGTH) return STARTER_MODEL;
  return madeModel({
    name: `${quantization.toLowerCase()}-${feedForwardLength}`,
    tool: 'make_ballast',
    args: [String(feedForwardLength), quantization === 'Q8_0' ? 'q8_0' : 'keep'],
    sources: ['models/make_ballast.cpp'],
    // Nine bits per weight, three matrices of 512 columns in each of 13 blocks, and the rest.
    bytes: 64 * 2 ** 20 + (13 * 3 * 512 * feedForwardLength * 9) / 8,
  });
}
