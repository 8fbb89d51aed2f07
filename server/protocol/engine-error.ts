/**
 * All codes with which the engine refuses or fails. The native addon throws an `Error` whose `code` is one of these,
 * and nothing else.
 */
export const ENGINE_ERROR_CODES = [
  /** An argument of the wrong type or value; the message names it. Thrown as a TypeError. */
  'invalidArgument',
  'fileNotFound',
  /** The file exists but does not begin like a GGUF, or its header is damaged. */
  'notGguf',
  /** A GGUF whose tensors go beyond the end of the file: usually an interrupted download. */
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
  /** The prompt and the longest answer do not fit the context. */
  'promptTooLong',
  'decodeFailed',
  /** The GPU did not finish its work. What it held is gone; the next request uses a new context on it. */
  'deviceFailed',
  /** The GPU failed again in a new context. Only a new process can use it. */
  'deviceLost',
  /** The GPU was lost to one process after the other. The processor serves instead. */
  'gpuGivenUp',
  /** `inkling.engine.device` names no device, or several. The processor serves instead. */
  'deviceUnknown',
  /** The device that the settings name failed its trial, or is too small. The processor serves instead. */
  'deviceUnusable',
  /** No addon flavour runs on this processor, or none was built. */
  'addonUnavailable',
  /** This file ended the server before, or did not let it start. It is not loaded again unless the user asks. */
  'modelCrashed',
  /** The client says this: the server crashed too often while a model of the user's choice was set. */
  'crashedWithModel',
  /** Remote server: no connection or no answer. Inkling retries automatically, also after `remoteFailed`. */
  'remoteUnreachable',
  /** The remote server refuses or requires the API key. */
  'remoteUnauthorized',
  /** The remote server lacks the page that was asked for or any model, or is of an unknown kind; or its address is none. */
  'remoteNotFound',
  /** `inkling.remote.model` names none of the remote server's models, or must name one of several. */
  'remoteModelUnknown',
  /** The remote server answered with a failure or with invalid data. */
  'remoteFailed',
  /** The remote server did not begin to answer within the request's time. */
  'remoteSlow',
  /** The window that ran the shared model ended in the middle of a request. Inkling loads the model again; ask again. */
  'ownerLost',
  'internal',
] as const;

export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

/** A failure as the client receives it, with a message for the user. */
export interface EngineErrorInfo {
  readonly code: EngineErrorCode;
  readonly message: string;
}
