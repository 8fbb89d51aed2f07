import type { WorkspaceConfiguration } from 'vscode';
import {
  type InklingSettings,
  isRecord,
  isText,
  parseSettings,
  SETTING_KEYS,
  withoutTrailingSlashes,
} from '../../../server/protocol/index.js';
import { type ScopedValues, unitedList } from './united-scopes.js';

/**
 * The only file that reads and writes the `inkling.*` settings. Its functions take the configuration as an argument; only
 * `user-settings.ts` asks VS Code for it.
 */
export const CONFIGURATION_SECTION = 'inkling';

/** Where models are downloaded from: only the extension uses it. */
export const REPOSITORY_URL_KEY = 'model.repositoryUrl';
export const DEFAULT_REPOSITORY_URL = 'https://huggingface.co';

/** When the status bar shows numbers: only the extension uses it. */
export const STATUS_MEMORY_KEY = 'status.memory';
export const STATUS_MEMORY = ['whenItMatters', 'always'] as const;
export type StatusMemory = (typeof STATUS_MEMORY)[number];

/** The part of `WorkspaceConfiguration` for reading; values have any type. */
export interface ConfigurationReader {
  get(key: string): unknown;
  inspect(key: string): ScopedValues | undefined;
}

/** The user's values, unchecked, by the names of `InklingSettings`. */
export type WrittenSettings = Readonly<Record<keyof InklingSettings, unknown>>;

/** For the server, which has the same parser; its log names the malformed values. */
export function writtenSettings(configuration: ConfigurationReader): WrittenSettings {
  const written = Object.entries(SETTING_KEYS).map(([field, key]) => [field, configuration.get(key)]);
  const contextExclude = unitedList(configuration.inspect(SETTING_KEYS.contextExclude));
  return { ...Object.fromEntries(written), contextExclude } as WrittenSettings;
}

/** The same where VS Code shows no ghost text: the server prepares none. */
export function settingsWithoutGhostText(written: WrittenSettings): WrittenSettings {
  return { ...written, trigger: 'manual' };
}

/** The same while suggestions are snoozed: the server also asks no model for the next edit. */
export function snoozedSettings(written: WrittenSettings): WrittenSettings {
  return { ...settingsWithoutGhostText(written), nextEditMode: 'off' };
}

/** The user's values, with defaults for malformed ones. */
export function readSettings(configuration: ConfigurationReader): InklingSettings {
  return parseSettings(writtenSettings(configuration)).settings;
}

/** Without a trailing slash; the default for an invalid address, from which nothing is downloaded then. */
export function readRepositoryUrl(configuration: Pick<ConfigurationReader, 'get'>): string {
  return repositoryUrlIn(configuration.get(REPOSITORY_URL_KEY)) ?? DEFAULT_REPOSITORY_URL;
}

/** The value of an invalid address; null for a valid one, and for none. */
export function invalidRepositoryUrl(configuration: Pick<ConfigurationReader, 'get'>): string | null {
  const written = configuration.get(REPOSITORY_URL_KEY) ?? '';
  const isSet = !isText(written) || written.trim() !== '';
  if (!isSet || repositoryUrlIn(written) !== null) return null;
  return isText(written) ? written.trim() : JSON.stringify(written);
}

function repositoryUrlIn(written: unknown): string | null {
  const url = isText(written) ? withoutTrailingSlashes(written.trim()) : '';
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;
}

/** The default for any other value. */
export function readStatusMemory(configuration: Pick<ConfigurationReader, 'get'>): StatusMemory {
  return configuration.get(STATUS_MEMORY_KEY) === 'always' ? 'always' : 'whenItMatters';
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

/**
 * Uses the starter model for everything, so that no model of the user's is left that may end the server. The other
 * settings stay.
 */
export async function writeStarterOnly(
  configuration: Pick<WorkspaceConfiguration, 'get' | 'inspect' | 'update'>,
): Promise<void> {
  await writeModelPath(configuration, '');
  if (readSettings(configuration).chatModelPath !== '') await writeChatModelPath(configuration, '');
}

/** Sets the remote server for this machine; empty for none. */
export async function writeRemoteUrl(
  configuration: Pick<WorkspaceConfiguration, 'update'>,
  url: string,
): Promise<void> {
  await configuration.update(SETTING_KEYS.remoteUrl, url === '' ? undefined : url, true);
}

/** Changes `inkling.enabled` where it has effect: in the workspace if that sets it, otherwise for the user. */
export async function toggleEnabled(
  configuration: Pick<WorkspaceConfiguration, 'get' | 'inspect' | 'update'>,
): Promise<void> {
  const isGlobal = configuration.inspect(SETTING_KEYS.enabled)?.workspaceValue === undefined;
  await configuration.update(SETTING_KEYS.enabled, !readSettings(configuration).enabled, isGlobal);
}

/** Turns suggestions on in a language where it has effect: in the workspace if that turns them off, otherwise for the user. */
export async function turnOnLanguage(
  configuration: Pick<WorkspaceConfiguration, 'inspect' | 'update'>,
  languageId: string,
): Promise<void> {
  const { globalValue, workspaceValue } = configuration.inspect<unknown>(SETTING_KEYS.languages) ?? {};
  const isGlobal = !isRecord(workspaceValue) || workspaceValue[languageId] !== false;
  const own = isGlobal ? globalValue : workspaceValue;
  const languages = { ...(isRecord(own) ? own : {}), [languageId]: true };
  await configuration.update(SETTING_KEYS.languages, languages, isGlobal);
}
