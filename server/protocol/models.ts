import type { EngineErrorInfo } from './engine-error.js';

/** Client to server, request with `ListModelsParams`: every model that could be used, as a `ModelList`. */
export const LIST_MODELS_REQUEST = 'inkling/listModels';

/** Client to server, request with `CheckModelParams`: whether a file can be used here, as a `ModelCheck`. */
export const CHECK_MODEL_REQUEST = 'inkling/checkModel';

/** Client to server, request with `CheckChatModelParams`: whether a file can be used for chat alone, as `ChatModelCheck`. */
export const CHECK_CHAT_MODEL_REQUEST = 'inkling/checkChatModel';

export interface CheckChatModelParams {
  /** Absolute path of a GGUF. */
  readonly path: string;
}

export interface ChatModelCheck {
  /** Why it cannot be used, beside the completion model; null if it can. */
  readonly error: EngineErrorInfo | null;
}

export interface ListModelsParams {
  /** Where the client stores its downloads; null if it downloads nothing. */
  readonly storeDirectory: string | null;
}

export interface CheckModelParams extends ListModelsParams {
  /** Absolute path of a GGUF, or of any part of a split one. Empty: the starter model. */
  readonly path: string;
  /** The file is still being downloaded: check its header only, not whether the rest is complete. Default false. */
  readonly partial?: boolean;
  /** With `partial`: what the other parts of a split model will have, in bytes. Default 0. */
  readonly otherBytes?: number;
}

export type ModelSource =
  | 'starter'
  | 'download'
  | 'huggingFaceCache'
  | 'lmStudio'
  | 'ollama'
  | 'llamaCppCache'
  /** Not on this machine yet. */
  | 'catalogue'
  /** Named by the user. */
  | 'file';

export interface ModelCapabilities {
  /** Fill-in-the-middle tokens: it can complete code. How well, `fimTrained` says. */
  readonly fim: boolean;
  /** A multi-token-prediction head: it can draft its own tokens. */
  readonly mtp: boolean;
  /** A chat template. */
  readonly chat: boolean;
}

/** How the model's memory relates to the memory budget. */
export type MemoryFit = 'comfortable' | 'tight' | 'tooLarge';

/** What to download, before the repository is asked for size and hash. */
export interface RepositoryFile {
  /** `owner/name`. */
  readonly repository: string;
  /** Its path, or what identifies it among the files of the repository, such as `Q8_0`. */
  readonly file: string;
}

/** How fast a model is on this machine. */
export interface ModelSpeed {
  /** Decoded without drafts, in a second. */
  readonly tokensPerSecond: number;
  /** For a whole prompt of the length that suggestions have here: in a new file, and when the cursor leaves its place. */
  readonly promptSeconds: number;
  /** `measured`: it ran here. `predicted`: from another model that did. `assumed`: none ran here that says enough. */
  readonly basis: 'measured' | 'predicted' | 'assumed';
  /**
   * Tokens a second that follow from a far smaller model on a GPU, where it is slower than that for nothing but its size.
   * Null where `basis` says more, and where so few would say nothing.
   */
  readonly atLeast: number | null;
}

/** With fewer, a line of code comes later than most people wait for it. */
const LEAST_TOKENS_PER_SECOND = 15;
/** With more, nothing is suggested in a new file until the cursor has moved on. */
const MOST_PROMPT_SECONDS = 2;

/** Whether a model is fast enough for suggestions while the user types. */
export function isFast({ tokensPerSecond, promptSeconds }: ModelSpeed): boolean {
  return tokensPerSecond >= LEAST_TOKENS_PER_SECOND && promptSeconds <= MOST_PROMPT_SECONDS;
}

export interface ModelOffer {
  /** Unique within a list and stable from one list to the next. */
  readonly id: string;
  readonly source: ModelSource;
  readonly name: string;
  /** Absolute; the first part of a split model. Null if not on this machine. */
  readonly path: string | null;
  /** All its files; empty if not on this machine. */
  readonly paths: readonly string[];
  /** Only for a catalogue entry. */
  readonly download: RepositoryFile | null;
  /** The sum of all parts. Until a model is downloaded, the catalogue's figure. */
  readonly fileBytes: number;
  /**
   * The memory that the server will use with this model, as the status shows it after the load. For files on this
   * machine the engine estimates it; for others it follows from their size.
   */
  readonly memoryBytes: number;
  readonly fit: MemoryFit;
  /** For a model that is not downloaded: what the catalogue expects. The file is checked once it is here. */
  readonly capabilities: ModelCapabilities;
  readonly architecture: string | null;
  readonly quantization: string;
  readonly parameterCount: number;
  /** Parameters used for each token: a part of all in a mixture of experts. */
  readonly activeParameterCount: number;
  /** Its publisher says that it was trained to fill in the middle. */
  readonly fimTrained: boolean;
  /** It was trained for next edits, in a format that Inkling knows. */
  readonly nextEdits: boolean;
  readonly speed: ModelSpeed;
  /** Why it cannot complete code here; null if it can. */
  readonly refusal: EngineErrorInfo | null;
}

export interface ModelList {
  /** The memory of this machine, or of the container that the server runs in. */
  readonly memoryBytes: number;
  /** Within each source, the best for this machine first. */
  readonly offers: readonly ModelOffer[];
  /** The id of the best offer for this machine; empty where none can be used. */
  readonly recommendedId: string;
  /** Folders whose search stopped early because they contain too many files. */
  readonly unfinishedFolders: readonly string[];
}

export type ModelCheck =
  | { readonly kind: 'usable'; readonly offer: ModelOffer }
  | {
      readonly kind: 'refused';
      readonly error: EngineErrorInfo;
      /** Context length with which this model would fit; null if none would, or if memory is not the reason. */
      readonly contextLength: number | null;
      /** It lacks fill-in-the-middle tokens but has a chat template: it could be the chat model. */
      readonly canChat: boolean;
      /** The most similar offer that works here. */
      readonly alternative: ModelOffer;
    };
