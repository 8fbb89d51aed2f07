/**
 * Models that their publishers say were trained to fill in the middle, with where they say it. The tokens prove nothing:
 * every model with Qwen's vocabulary has them, and most have never seen them used.
 */
const TRAINED: readonly (readonly [name: RegExp, source: string])[] = [
  [/\binkling\b/i, 'media/model/MODEL_CARD.md'],
  // Trained further for conversations, it has another name here: publishers recommend the base model for completion.
  [/qwen2\.5[-_ ]?coder(?!.*instruct)/i, 'arXiv:2409.12186, section 3.2'],
  [/qwen3[-_ ]?coder/i, 'github.com/QwenLM/Qwen3-Coder, README, "Fill in the middle with Qwen3-Coder"'],
  [/codeqwen/i, 'github.com/QwenLM/CodeQwen1.5, README'],
  [/starcoder/i, 'arXiv:2305.06161, arXiv:2402.19173'],
  [/code[-_ ]?llama(?!.*(?:python|34b|70b))/i, 'arXiv:2308.12950, section 2.3'],
  [/deepseek[-_ ]?coder/i, 'arXiv:2401.14196, section 3.1.2'],
  [/codegemma/i, 'arXiv:2406.11409'],
  [/codestral/i, 'mistral.ai/news/codestral'],
  [/granite[-_ ]?(?:3b|8b|20b|34b)?[-_ ]?code/i, 'arXiv:2405.04324'],
  [/seed[-_ ]?coder(?!.*(?:instruct|reasoning))/i, 'arXiv:2506.03524'],
  [/mellum/i, 'huggingface.co/JetBrains/Mellum-4b-base'],
];

/** A file may claim any name. */
const LONGEST_NAME = 256;

/** Whether a model with one of these names is known to be trained to fill in the middle. */
export function isFimTrained(names: readonly string[]): boolean {
  return TRAINED.some(([pattern]) => names.some((name) => pattern.test(name.slice(0, LONGEST_NAME))));
}
