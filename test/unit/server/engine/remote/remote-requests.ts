/** What tests ask of a remote engine. */
export const REQUEST = { prompt: ['const a = '], maxTokens: 8 };
export const QUESTION = {
  messages: [{ role: 'user', text: 'What?' }],
  maxTokens: 8,
  temperature: 0,
  topP: 1,
  topK: 1,
  think: false,
} as const;

export const never: AbortSignal = new AbortController().signal;
export const ignore = (): void => undefined;
