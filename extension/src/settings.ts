import type { WorkspaceConfiguration } from 'vscode';
import { DEFAULT_SETTINGS, type InklingSettings, REMOTE_KINDS, type RemoteKind } from '../../server/protocol/index.js';

/**
 * The only file that knows the names of the `inkling.*` settings. Its functions take the configuration as an argument;
 * only the composition root asks VS Code for it.
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

/** Where models are downloaded from: only the extension uses it. */
export const REPOSITORY_URL_KEY = 'model.repositoryUrl';
export const DEFAULT_REPOSITORY_URL = 'https://huggingface.co';

/** The part of `WorkspaceConfiguration` for reading; `get` returns the user's value of any type. */
export interface ConfigurationReader {
  get(key: string): unknown;
}

/** The user's values, with defaults for those of a wrong type. */
export function readSettings(configuration: ConfigurationReader): InklingSettings {
  const value = (field: keyof InklingSettings) => configuration.get(SETTING_KEYS[field]);
  return {
    enabled: booleanOr(DEFAULT_SETTINGS.enabled, value('enabled')),
    languages: languagesOr(DEFAULT_SETTINGS.languages, value('languages')),
    modelPath: stringOr(DEFAULT_SETTINGS.modelPath, value('modelPath')).trim(),
    chatModelPath: stringOr(DEFAULT_SETTINGS.chatModelPath, value('chatModelPath')).trim(),
    remoteUrl: stringOr(DEFAULT_SETTINGS.remoteUrl, value('remoteUrl')).trim(),
    remoteKind: remoteKindOr(DEFAULT_SETTINGS.remoteKind, value('remoteKind')),
    remoteModel: stringOr(DEFAULT_SETTINGS.remoteModel, value('remoteModel')).trim(),
    threads: countOr(DEFAULT_SETTINGS.threads, value('threads')),
    contextLength: countOr(DEFAULT_SETTINGS.contextLength, value('contextLength')),
    memoryBudgetGb: amountOr(DEFAULT_SETTINGS.memoryBudgetGb, value('memoryBudgetGb')),
    unloadAfterMinutes: amountOr(DEFAULT_SETTINGS.unloadAfterMinutes, value('unloadAfterMinutes')),
    onBattery: onBatteryOr(DEFAULT_SETTINGS.onBattery, value('onBattery')),
    trigger: value('trigger') === 'manual' ? 'manual' : DEFAULT_SETTINGS.trigger,
    inComments: booleanOr(DEFAULT_SETTINGS.inComments, value('inComments')),
    inStrings: booleanOr(DEFAULT_SETTINGS.inStrings, value('inStrings')),
    maxTokens: countOr(DEFAULT_SETTINGS.maxTokens, value('maxTokens')),
    timeBudgetMs: countOr(DEFAULT_SETTINGS.timeBudgetMs, value('timeBudgetMs')),
    contextEnabled: booleanOr(DEFAULT_SETTINGS.contextEnabled, value('contextEnabled')),
    contextExclude: textsOr(DEFAULT_SETTINGS.contextExclude, value('contextExclude')),
    contextClipboard: booleanOr(DEFAULT_SETTINGS.contextClipboard, value('contextClipboard')),
  };
}

/** Without a trailing slash; the default for an invalid address. */
export function readRepositoryUrl(configuration: ConfigurationReader): string {
  const url = stringOr('', configuration.get(REPOSITORY_URL_KEY)).trim().replace(/\/+$/, '');
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : DEFAULT_REPOSITORY_URL;
}

/** Sets the model for this machine; empty for the starter model. */
export async function writeModelPath(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  path: string,
): Promise<void> {
  await configuration.update(SETTING_KEYS.modelPath, path === '' ? undefined : path, true);
}

/** Set for this machine, since its memory decides. */
export async function writeContextLength(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  tokens: number,
): Promise<void> {
  await configuration.update(SETTING_KEYS.contextLength, tokens, true);
}

/** Sets the model for chat alone for this machine; empty if one model serves both. */
export async function writeChatModelPath(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  path: string,
): Promise<void> {
  await configuration.update(SETTING_KEYS.chatModelPath, path === '' ? undefined : path, true);
}

/** Sets the remote server for this machine; empty for none. */
export async function writeRemoteUrl(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  url: string,
): Promise<void> {
  await configuration.update(SETTING_KEYS.remoteUrl, url === '' ? undefined : url, true);
}

/** Whether the user wants suggestions in this language. */
export function completesLanguage(settings: InklingSettings, languageId: string): boolean {
  return settings.enabled && (settings.languages[languageId] ?? settings.languages['*'] ?? true);
}

/** Changes `inkling.enabled` where it has effect: in the workspace if that sets it, otherwise for the user. */
export async function toggleEnabled(
  configuration: Pick<WorkspaceConfiguration, 'get' | 'inspect' | 'update'>,
): Promise<void> {
  const isGlobal = configuration.inspect(SETTING_KEYS.enabled)?.workspaceValue === undefined;
  await configuration.update(SETTING_KEYS.enabled, !readSettings(configuration).enabled, isGlobal);
}

function booleanOr(fallback: boolean, value: unknown): boolean {
  return typeof value === 'boolean' ? value : fallback;
}

function stringOr(fallback: string, value: unknown): string {
  return typeof value === 'string' ? value : fallback;
}

function remoteKindOr(fallback: RemoteKind, value: unknown): RemoteKind {
  return REMOTE_KINDS.find((kind) => kind === value) ?? fallback;
}

function countOr(fallback: number, value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : fallback;
}

function amountOr(fallback: number, value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : fallback;
}

function onBatteryOr(fallback: InklingSettings['onBattery'], value: unknown): InklingSettings['onBattery'] {
  return value === 'freeCaches' || value === 'unload' ? value : fallback;
}

/** Keeps the usable entries: one invalid entry must not remove the other exclusions. */
function textsOr(fallback: readonly string[], value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : fallback;
}

function languagesOr(fallback: Readonly<Record<string, boolean>>, value: unknown): Readonly<Record<string, boolean>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fallback;
  return Object.fromEntries(Object.entries(value).filter((entry) => typeof entry[1] === 'boolean'));
}
