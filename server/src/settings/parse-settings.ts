import { DEFAULT_SETTINGS, type InklingSettings, REMOTE_KINDS } from '../../protocol/index.js';

export interface ParsedSettings {
  readonly settings: InklingSettings;
  /** One sentence for each value replaced by its default. */
  readonly problems: readonly string[];
}

/** The ranges that package.json declares for the same settings; test/unit compares the two. */
export const SETTING_RANGES = {
  threads: { minimum: 0, maximum: 512 },
  contextLength: { minimum: 0, maximum: 16_777_216 },
  maxTokens: { minimum: 1, maximum: 1024 },
  timeBudgetMs: { minimum: 50, maximum: 60_000 },
  memoryBudgetGb: { minimum: 0, maximum: 16_384 },
  unloadAfterMinutes: { minimum: 0, maximum: 10_080 },
} as const;

/**
 * The only check of settings from a client. It accepts any value: an absent one gets its default silently, a malformed
 * one gets its default and an entry in `problems`.
 */
export function parseSettings(value: unknown): ParsedSettings {
  const problems: string[] = [];
  if (value !== undefined && value !== null && !isRecord(value)) {
    problems.push(`Settings must be an object, not ${describe(value)}; using the defaults.`);
  }
  const given = isRecord(value) ? value : {};

  function read<K extends keyof InklingSettings>(
    name: K,
    check: (candidate: unknown) => candidate is InklingSettings[K],
    expected: string,
  ): InklingSettings[K] {
    const candidate = given[name];
    if (candidate === undefined || candidate === null) return DEFAULT_SETTINGS[name];
    if (check(candidate)) return candidate;
    problems.push(`Setting ${name} must be ${expected}, not ${describe(candidate)}; using the default.`);
    return DEFAULT_SETTINGS[name];
  }

  const readNumber = (name: keyof typeof SETTING_RANGES, kind: 'number' | 'whole number' = 'number'): number => {
    const { minimum, maximum } = SETTING_RANGES[name];
    const isInRange = (candidate: unknown): candidate is number =>
      typeof candidate === 'number' && candidate >= minimum && candidate <= maximum;
    return read(
      name,
      (candidate): candidate is number => isInRange(candidate) && (kind === 'number' || Number.isInteger(candidate)),
      `a ${kind} from ${minimum} to ${maximum}`,
    );
  };
  const readInteger = (name: keyof typeof SETTING_RANGES): number => readNumber(name, 'whole number');

  const settings: InklingSettings = {
    enabled: read('enabled', isBoolean, 'true or false'),
    languages: onlySwitches(read('languages', isRecord as typeof isSwitches, 'an object'), problems),
    modelPath: read('modelPath', isString, 'a string'),
    chatModelPath: read('chatModelPath', isString, 'a string'),
    remoteUrl: read('remoteUrl', isString, 'a string').trim(),
    remoteKind: read('remoteKind', isRemoteKind, `one of ${REMOTE_KINDS.join(', ')}`),
    remoteModel: read('remoteModel', isString, 'a string').trim(),
    threads: readInteger('threads'),
    contextLength: readInteger('contextLength'),
    memoryBudgetGb: readNumber('memoryBudgetGb'),
    unloadAfterMinutes: readNumber('unloadAfterMinutes'),
    onBattery: read('onBattery', isBatteryChoice, '"keep", "freeCaches" or "unload"'),
    trigger: read('trigger', isTrigger, '"automatic" or "manual"'),
    inComments: read('inComments', isBoolean, 'true or false'),
    inStrings: read('inStrings', isBoolean, 'true or false'),
    maxTokens: readInteger('maxTokens'),
    timeBudgetMs: readInteger('timeBudgetMs'),
    contextEnabled: read('contextEnabled', isBoolean, 'true or false'),
    contextExclude: read('contextExclude', isStrings, 'a list of globs'),
    contextClipboard: read('contextClipboard', isBoolean, 'true or false'),
  };
  return { settings, problems };
}

/** Keeps the usable entries, so that one typing mistake does not lose the other languages. */
function onlySwitches(languages: Readonly<Record<string, unknown>>, problems: string[]): Record<string, boolean> {
  const switches: Record<string, boolean> = {};
  for (const [language, enabled] of Object.entries(languages)) {
    if (isBoolean(enabled)) switches[language] = enabled;
    else problems.push(`Setting languages["${language}"] must be true or false, not ${describe(enabled)}; ignored.`);
  }
  return switches;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSwitches(value: unknown): value is Record<string, boolean> {
  return isRecord(value) && Object.values(value).every(isBoolean);
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isTrigger(value: unknown): value is InklingSettings['trigger'] {
  return value === 'automatic' || value === 'manual';
}

function isBatteryChoice(value: unknown): value is InklingSettings['onBattery'] {
  return value === 'keep' || value === 'freeCaches' || value === 'unload';
}

function isRemoteKind(value: unknown): value is InklingSettings['remoteKind'] {
  return (REMOTE_KINDS as readonly unknown[]).includes(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString);
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
