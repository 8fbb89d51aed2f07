/**
 * Every way in which the engine can refuse or fail, as one closed list. The native addon throws an `Error` whose
 * `code` is one of these; nothing else crosses the N-API boundary on purpose.
 */
export const ENGINE_ERROR_CODES = [
  /** An argument of the wrong type or value; the message names it. Thrown as a TypeError. */
  'invalidArgument',
  'fileNotFound',
  /** The file exists but does not begin as a GGUF does, or its header is damaged. */
  'notGguf',
  /** A GGUF whose tensors end beyond the file's end: usually an interrupted download. */
  'truncatedFile',
  /** A GGUF whose architecture this engine does not know, or which is not a text decoder. */
  'unsupportedModel',
  /** A model without fill-in-the-middle tokens cannot complete code. */
  'noFimTokens',
  'outOfMemory',
  'loadFailed',
  'loadCancelled',
  /** A second load while a model is loaded or loading. */
  'alreadyLoaded',
  'notLoaded',
  'closed',
  /** The prompt and what may be generated do not fit the context. */
  'promptTooLong',
  'decodeFailed',
  /** No addon flavour runs on this processor, or none was built. */
  'addonUnavailable',
  /** Another machine: no connection, or nobody answers. It is tried again by itself, as after `remoteFailed`. */
  'remoteUnreachable',
  /** It refuses the API key, or wants one. */
  'remoteUnauthorized',
  /** It has no such model, or is no server of a kind that is known. */
  'remoteNotFound',
  /** It answered, but with a failure or with what cannot be understood. */
  'remoteFailed',
  /** It did not begin to answer within the time that this request had. */
  'remoteSlow',
  'internal',
] as const;

export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

/** A failure as it travels to the client: what failed, in words for the user. */
export interface EngineErrorInfo {
  readonly code: EngineErrorCode;
  readonly message: string;
}
