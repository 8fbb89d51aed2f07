/**
 * The server's settings, as the client sends them: in `initializationOptions` and in every
 * `workspace/didChangeConfiguration` (`params.settings`). The extension reads them from `inkling.*`. Any client may
 * send a partial object; absent or malformed values get their defaults. `initializationOptions.translations` may also
 * contain the user's language as `Translations` (translate.ts).
 */
export interface InklingSettings {
  /** `inkling.enabled`: whether Inkling offers completions. */
  readonly enabled: boolean;
  /** `inkling.languages`: language id to on/off; `*` applies to every language without an entry. */
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
  /** `inkling.engine.threads`: CPU threads; 0 chooses from the machine. */
  readonly threads: number;
  /** `inkling.engine.contextLength`: tokens of context; 0 chooses from the model. */
  readonly contextLength: number;
  /** `inkling.memory.budget`: gigabytes (10^9 bytes) for this window's server; 0 chooses from the machine. */
  readonly memoryBudgetGb: number;
  /** `inkling.memory.unloadAfter`: unloads the model after this many minutes without use; 0 never. */
  readonly unloadAfterMinutes: number;
  /** `inkling.memory.onBattery`: what to free after a minute without use while the machine runs on battery. */
  readonly onBattery: 'keep' | 'freeCaches' | 'unload';
  /** `inkling.completion.trigger`: whether the editor asks by itself, or only the user's command does. */
  readonly trigger: 'automatic' | 'manual';
  /**
   * `inkling.completion.inComments`, `inkling.completion.inStrings`: whether suggestions appear there automatically.
   */
  readonly inComments: boolean;
  readonly inStrings: boolean;
  /** `inkling.completion.maxTokens`: longest suggestion in tokens. */
  readonly maxTokens: number;
  /** `inkling.completion.timeBudget`: milliseconds after which generation ends and the text so far is shown. */
  readonly timeBudgetMs: number;
  /** `inkling.context.enabled`: whether prompts show parts of other files. */
  readonly contextEnabled: boolean;
  /** `inkling.context.exclude`: globs of files that are never shown to the model as context. */
  readonly contextExclude: readonly string[];
  /** `inkling.context.clipboard`: whether the clipboard's text may be shown. */
  readonly contextClipboard: boolean;
}

export const REMOTE_KINDS = ['auto', 'llama-server', 'openai', 'ollama'] as const;

export type RemoteKind = (typeof REMOTE_KINDS)[number];

export const DEFAULT_SETTINGS: InklingSettings = {
  enabled: true,
  languages: { '*': true, plaintext: false, log: false },
  modelPath: '',
  chatModelPath: '',
  remoteUrl: '',
  remoteKind: 'auto',
  remoteModel: '',
  threads: 0,
  contextLength: 0,
  memoryBudgetGb: 0,
  unloadAfterMinutes: 30,
  onBattery: 'keep',
  trigger: 'automatic',
  inComments: true,
  inStrings: true,
  maxTokens: 64,
  timeBudgetMs: 2000,
  contextEnabled: true,
  contextExclude: [],
  contextClipboard: false,
};
