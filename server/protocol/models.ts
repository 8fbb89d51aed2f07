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
  /** Why it cannot be, beside the model that completes; null where it can. */
  readonly error: EngineErrorInfo | null;
}

export interface ListModelsParams {
  /** Where the client keeps what it downloaded; null where it downloads nothing. */
  readonly storeDirectory: string | null;
}

export interface CheckModelParams extends ListModelsParams {
  /** Absolute path of a GGUF; of a split one, any of its parts. Empty: the starter model. */
  readonly path: string;
  /**
   * The file is still being downloaded: only what stands in its header is checked, and whether the rest follows is not.
   * Default false.
   */
  readonly partial?: boolean;
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
  /** Fill-in-the-middle tokens: it can complete code. */
  readonly fim: boolean;
  /** A multi-token-prediction head: it can draft for itself. */
  readonly mtp: boolean;
  /** A chat template. */
  readonly chat: boolean;
}

/** How a model's need relates to the memory budget. */
export type MemoryFit = 'comfortable' | 'tight' | 'tooLarge';

/** What to download, as far as it is known before the repository is asked for bytes and hash. */
export interface RepositoryFile {
  /** `owner/name`. */
  readonly repository: string;
  /** Names the file among those of the repository, such as `Q8_0`. */
  readonly quantization: string;
}

export interface ModelOffer {
  /** Unique within a list and stable from one list to the next. */
  readonly id: string;
  readonly source: ModelSource;
  readonly name: string;
  /** Absolute; of a split model, its first part. Null for what is not on this machine. */
  readonly path: string | null;
  /** All its files; none for what is not on this machine. */
  readonly paths: readonly string[];
  /** Only for a catalogue entry. */
  readonly download: RepositoryFile | null;
  /** Of all parts; null where only the repository knows. */
  readonly fileBytes: number | null;
  /**
   * What the server will hold with it, as the status says it after the load: by the engine's own estimate for what is
   * on this machine, by the name's promises for what is not.
   */
  readonly memoryBytes: number;
  readonly fit: MemoryFit;
  /** Of a catalogue entry: what is expected, and checked once the file is here. */
  readonly capabilities: ModelCapabilities;
  readonly architecture: string | null;
  readonly quantization: string;
  readonly parameterCount: number;
  /** Parameters that each token goes through: fewer than all in a mixture of experts. */
  readonly activeParameterCount: number;
  /** Why it cannot complete code here; null where it can. */
  readonly refusal: EngineErrorInfo | null;
}

export interface ModelList {
  /** Of this machine, or of the container that the server runs in. */
  readonly memoryBytes: number;
  /** In each source the best for this machine first. */
  readonly offers: readonly ModelOffer[];
  /** The id of the offer that suits this machine best. */
  readonly recommendedId: string;
  /** Folders that were not looked through to the end, since they hold too much. */
  readonly unfinishedFolders: readonly string[];
}

export type ModelCheck =
  | { readonly kind: 'usable'; readonly offer: ModelOffer }
  | {
      readonly kind: 'refused';
      readonly error: EngineErrorInfo;
      /** Tokens of context with which this model itself would fit; null where none would, or memory is not the reason. */
      readonly contextLength: number | null;
      /** It has no tokens to fill in the middle, but a chat template: it could be the model for chat alone. */
      readonly canChat: boolean;
      /** The nearest that works here. */
      readonly alternative: ModelOffer;
    };
