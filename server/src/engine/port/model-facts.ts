import type { RemoteServerKind } from '../../../protocol/index.js';
import type { FimTokenIds } from '../../prompt/fim-template.js';

/** `backend` of a model that no GPU has a part of. */
const PROCESSOR_BACKEND = 'CPU';

/** What an engine says of the model that it has loaded. */
export type ModelFacts = LocalModelFacts | RemoteModelFacts;

/** What a model's file says of how it was made, which the engine has no use for. */
export interface ModelCard {
  /** Ships with Inkling. */
  readonly isStarter: boolean;
  /** VS Code's ids of the languages that it knows; null where it does not say. */
  readonly languages: readonly string[] | null;
  /** Tokens of the longest text in its training, where that is less than its context may be; null where it does not say. */
  readonly trainingContextLength: number | null;
  /** How it is asked for next edits (`inkling.next_edit_format`); null where it does not say. */
  readonly nextEditFormat: string | null;
}

/** The card of a model whose file says nothing. */
export const BLANK_CARD: ModelCard = {
  isStarter: false,
  languages: null,
  trainingContextLength: null,
  nextEditFormat: null,
};

interface SharedFacts extends ModelCard {
  /** Names the model among all; for a local model its file. */
  readonly path: string;
  readonly name: string;
  /** Tokens of context of the completion slot. */
  readonly contextLength: number;
  /** Tokens of context of the chat slot, whether it exists or not. */
  readonly chatContextLength: number;
  /** Null for a model that cannot fill in the middle. */
  readonly fim: FimTokenIds | null;
  /** The token that begins a sequence; null where there is none. */
  readonly bosToken: number | null;
  /** Whether every prompt begins with that token. */
  readonly addBos: boolean;
  /** The model was trained with a blank before each text, and the engine adds none (SentencePiece). */
  readonly leadingBlank: boolean;
  readonly capabilities: EngineCapabilities;
}

/** A model in this process. */
export interface LocalModelFacts extends SharedFacts {
  readonly kind: 'local';
  readonly architecture: string;
  /** As the names of files spell it: `Q4_K_M`. */
  readonly quantization: string;
  readonly fileBytes: number;
  readonly parameterCount: number;
  /** Has layers with recurrent state (a hybrid model too). */
  readonly recurrent: boolean;
  /** `whenContextFull: 'shift'` has an effect: every layer has attention over the whole context. */
  readonly canShiftContext: boolean;
  /** Has a block for multi-token prediction. */
  readonly mtp: boolean;
  readonly chatTemplate: string | null;
  readonly threads: number;
  /** Such as `CPU` or `Metal`. */
  readonly backend: string;
}

/** A model that a remote server has loaded. Null stands for what the server does not say. */
export interface RemoteModelFacts extends SharedFacts {
  readonly kind: 'remote';
  /** As users read it: `gpu-box:8080`. */
  readonly host: string;
  readonly server: RemoteServerKind;
  readonly architecture: string | null;
  readonly quantization: string | null;
  readonly fileBytes: number | null;
  readonly parameterCount: number | null;
  /** Takes conversations, which the server frames with the model's template. */
  readonly chat: boolean;
  readonly thinking: 'none' | 'always' | 'optional';
}

/** Abilities that not every engine has. Look here before you use one. */
export interface EngineCapabilities {
  /** `heal`: typed tokens may be chosen again. Without it, they stay as they were typed. */
  readonly heals: boolean;
  /** `maxTokens: 0`: a prompt that is evaluated ahead saves a later request its time. */
  readonly prepares: boolean;
  /** `runnersUp` and `begin`: an answer can go on in another way. */
  readonly branches: boolean;
  /** `tokenize` and `detokenize`. */
  readonly tokenizes: boolean;
  /** An aborted generation goes on where it stopped when it is asked for again. */
  readonly resumes: boolean;
}

export const EVERY_CAPABILITY: EngineCapabilities = {
  heals: true,
  prepares: true,
  branches: true,
  tokenizes: true,
  resumes: true,
};

/** Whether a GPU of this machine has the model, or a part of it. */
export function isOnGpu(facts: ModelFacts | null): boolean {
  return facts?.kind === 'local' && facts.backend !== PROCESSOR_BACKEND;
}
