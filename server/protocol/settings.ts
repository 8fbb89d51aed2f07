import type { NextEditMode } from './next-edit.js';

/**
 * The server's settings, as the client sends them: in `initializationOptions` and in every
 * `workspace/didChangeConfiguration` (`params.settings`). The extension reads them from `inkling.*`. Any client may
 * send a partial object; absent or malformed values get their defaults. `initializationOptions.translations` may also
 * contain the user's language as `Translations` (translate.ts).
 */
export interface InklingSettings {
  /** `inkling.enabled`: whether Inkling does anything with a model: suggestions, next edits, edits and chat. */
  readonly enabled: boolean;
  /**
   * `inkling.languages`: language id to on/off; `*` applies to every language without an entry, as far as the model
   * knows it (languages.ts).
   */
  readonly languages: Readonly<Record<string, boolean>>;
  /** `inkling.model.path`: absolute path of a GGUF; empty means the starter model that ships with Inkling. */
  readonly modelPath: string;
  /** `inkling.chat.model.path`: absolute path of a GGUF for chat alone; empty means that one model serves both. */
  readonly chatModelPath: string;
  /** `inkling.remote.url`: address of the remote server; empty means this machine. */
  readonly remoteUrl: string;
  /** `inkling.remote.kind`: the kind of the remote server; `auto` asks it. */
  readonly remoteKind: RemoteKind;
  /** `inkling.remote.model`: the remote server's model to use; empty for its only one. */
  readonly remoteModel: string;
  /** `inkling.engine.device`: `auto`, `cpu`, or a device's number or name. */
  readonly device: string;
  /** `inkling.engine.threads`: CPU threads; 0 chooses from the machine. */
  readonly threads: number;
  /** `inkling.engine.contextLength`: tokens of context; 0 chooses by the model and the speed of this machine. */
  readonly contextLength: number;
  /** `inkling.engine.speculation`: how the engine uses drafts; only `optimistic` changes what it says. */
  readonly speculation: SpeculationMode;
  /** `inkling.engine.share`: whether windows share a loaded model. */
  readonly engineShare: ShareMode;
  /** `inkling.memory.budget`: gigabytes (10^9 bytes) for this window's server; 0 chooses from the machine. */
  readonly memoryBudgetGb: number;
  /** `inkling.memory.unloadAfter`: unloads the model after this many minutes without use; 0 never. */
  readonly unloadAfterMinutes: number;
  /** `inkling.memory.onBattery`: what to free after a minute without use while the machine runs on battery. */
  readonly onBattery: 'keep' | 'freeCaches' | 'unload';
  /** `inkling.completion.trigger`: whether the editor asks by itself, or only the user's command does. */
  readonly trigger: 'automatic' | 'manual';
  /** `inkling.completion.eagerness`: how sure a suggestion must be to appear by itself. */
  readonly eagerness: Eagerness;
  /**
   * `inkling.completion.inComments`, `inkling.completion.inStrings`: whether suggestions appear there automatically.
   */
  readonly inComments: boolean;
  readonly inStrings: boolean;
  /** `inkling.completion.maxTokens`: longest suggestion in tokens. */
  readonly maxTokens: number;
  /** `inkling.completion.timeBudget`: milliseconds after which generation ends and the text so far is shown. */
  readonly timeBudgetMs: number;
  /** `inkling.nextEdit.mode`: whether Inkling offers the edit that follows from the last one, and how it is shown. */
  readonly nextEditMode: NextEditMode;
  /** `inkling.context.enabled`: whether prompts show parts of other files. */
  readonly contextEnabled: boolean;
  /** `inkling.context.exclude`: globs of files that are never shown to the model as context. */
  readonly contextExclude: readonly string[];
  /** `inkling.context.clipboard`: whether the clipboard's text may be shown. */
  readonly contextClipboard: boolean;
}

/** Three points between few suggestions, mostly right, and more suggestions. */
export const EAGERNESS = ['calm', 'balanced', 'eager'] as const;

export type Eagerness = (typeof EAGERNESS)[number];

export const REMOTE_KINDS = ['auto', 'llama-server', 'openai', 'ollama'] as const;

export type RemoteKind = (typeof REMOTE_KINDS)[number];

/**
 * `auto`: drafts that the model verifies, as many as save time. `off`: no drafts. `optimistic`: drafts of the model's
 * own draft head count without verification, so the output may differ from the model's own.
 */
export const SPECULATION_MODES = ['auto', 'off', 'optimistic'] as const;

export type SpeculationMode = (typeof SPECULATION_MODES)[number];

/** `auto`: models of more than 500 MB. */
export const SHARE_MODES = ['auto', 'on', 'off'] as const;

export type ShareMode = (typeof SHARE_MODES)[number];

/** From each field of `InklingSettings` to its setting of VS Code, below `inkling`. */
export const SETTING_KEYS = {
  enabled: 'enabled',
  languages: 'languages',
  modelPath: 'model.path',
  chatModelPath: 'chat.model.path',
  remoteUrl: 'remote.url',
  remoteKind: 'remote.kind',
  remoteModel: 'remote.model',
  device: 'engine.device',
  threads: 'engine.threads',
  contextLength: 'engine.contextLength',
  speculation: 'engine.speculation',
  engineShare: 'engine.share',
  memoryBudgetGb: 'memory.budget',
  unloadAfterMinutes: 'memory.unloadAfter',
  onBattery: 'memory.onBattery',
  trigger: 'completion.trigger',
  eagerness: 'completion.eagerness',
  inComments: 'completion.inComments',
  inStrings: 'completion.inStrings',
  maxTokens: 'completion.maxTokens',
  timeBudgetMs: 'completion.timeBudget',
  nextEditMode: 'nextEdit.mode',
  contextEnabled: 'context.enabled',
  contextExclude: 'context.exclude',
  contextClipboard: 'context.clipboard',
} as const satisfies Record<keyof InklingSettings, string>;

export const DEFAULT_SETTINGS: InklingSettings = {
  enabled: true,
  languages: { '*': true, plaintext: false, log: false },
  modelPath: '',
  chatModelPath: '',
  remoteUrl: '',
  remoteKind: 'auto',
  remoteModel: '',
  device: 'auto',
  threads: 0,
  contextLength: 0,
  speculation: 'auto',
  engineShare: 'auto',
  memoryBudgetGb: 0,
  unloadAfterMinutes: 30,
  onBattery: 'keep',
  trigger: 'automatic',
  eagerness: 'balanced',
  inComments: true,
  inStrings: true,
  maxTokens: 64,
  timeBudgetMs: 2000,
  nextEditMode: 'calm',
  contextEnabled: true,
  contextExclude: [],
  contextClipboard: false,
};
