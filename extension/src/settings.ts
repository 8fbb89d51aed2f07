import type { WorkspaceConfiguration } from 'vscode';
import { type InklingSettings, isText, parseSettings } from '../../server/protocol/index.js';

/**
 * The one place that knows the names of the `inkling.*` settings. Everything here takes the configuration as an
 * argument; the composition root alone asks VS Code for it.
 */
export const CONFIGURATION_SECTION = 'inkling';

/** From each field of `InklingSettings` to its setting below `inkling`. */
export const SETTING_KEYS = {
  enabled: 'enabled',
  languages: 'languages',
  modelPath: 'model.path',
  chatModelPath: 'chat.model.path',
  remoteUrl: 'remote.url',
  remoteKind: 'remote.kind',
  remoteModel: 'remote.model',
  threads: 'engine.threads',
  contextLength: 'engine.contextLength',
  speculation: 'engine.speculation',
  memoryBudgetGb: 'memory.budget',
  unloadAfterMinutes: 'memory.unloadAfter',
  onBattery: 'memory.onBattery',
  trigger: 'completion.trigger',
  inComments: 'completion.inComments',
  inStrings: 'completion.inStrings',
  maxTokens: 'completion.maxTokens',
  timeBudgetMs: 'completion.timeBudget',
  contextEnabled: 'context.enabled',
  contextExclude: 'context.exclude',
  contextClipboard: 'context.clipboard',
} as const satisfies Record<keyof InklingSettings, string>;

/** Where models are downloaded from: a matter of the extension, which the server never hears of. */
export const REPOSITORY_URL_KEY = 'model.repositoryUrl';
export const DEFAULT_REPOSITORY_URL = 'https://huggingface.co';

/** The part of `WorkspaceConfiguration` that reading needs; `get` answers what the user wrote, whatever its type. */
export interface ConfigurationReader {
  get(key: string): unknown;
}

/** What the user wrote, by the names that the server knows. */
export type WrittenSettings = Readonly<Record<keyof InklingSettings, unknown>>;

/** As the server gets them: it parses them with the same parser, and its log says what is wrong. */
export function writtenSettings(configuration: ConfigurationReader): WrittenSettings {
  const written = Object.entries(SETTING_KEYS).map(([field, key]) => [field, configuration.get(key)]);
  return Object.fromEntries(written) as WrittenSettings;
}

/** With the default in place of everything that is malformed. */
export function readSettings(configuration: ConfigurationReader): InklingSettings {
  return parseSettings(writtenSettings(configuration)).settings;
}

/** Without a slash at its end; the default in place of what is no address. */
export function readRepositoryUrl(configuration: ConfigurationReader): string {
  const written = configuration.get(REPOSITORY_URL_KEY);
  const url = isText(written) ? written.trim().replace(/\/+$/, '') : '';
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : DEFAULT_REPOSITORY_URL;
}

/** Names the model in use, for this machine; empty for the starter model. */
export async function writeModelPath(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  path: string,
): Promise<void> {
  await configuration.update(SETTING_KEYS.modelPath, path === '' ? undefined : path, true);
}

/** For this machine, as it is the machine's memory that decides. */
export async function writeContextLength(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  tokens: number,
): Promise<void> {
  await configuration.update(SETTING_KEYS.contextLength, tokens, true);
}

/** Names the model for chat alone, for this machine; empty where one serves both. */
export async function writeChatModelPath(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  path: string,
): Promise<void> {
  await configuration.update(SETTING_KEYS.chatModelPath, path === '' ? undefined : path, true);
}

/** Names the engine on another machine, for this machine; empty for the one in this. */
export async function writeRemoteUrl(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  url: string,
): Promise<void> {
  await configuration.update(SETTING_KEYS.remoteUrl, url === '' ? undefined : url, true);
}

/** Changes `inkling.enabled` where it has effect: in the workspace if that sets it, else for the user. */
export async function toggleEnabled(
  configuration: Pick<WorkspaceConfiguration, 'get' | 'inspect' | 'update'>,
): Promise<void> {
  const isGlobal = configuration.inspect(SETTING_KEYS.enabled)?.workspaceValue === undefined;
  await configuration.update(SETTING_KEYS.enabled, !readSettings(configuration).enabled, isGlobal);
}
