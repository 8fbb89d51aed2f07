import { isBoolean, isNumber, isRecord, isText } from './check-values.js';
import { cutText } from './cut-text.js';
import { NEXT_EDIT_MODES } from './next-edit.js';
import {
  DEFAULT_SETTINGS,
  EAGERNESS,
  type InklingSettings,
  REMOTE_KINDS,
  SETTING_KEYS,
  SHARE_MODES,
  SPECULATION_MODES,
} from './settings.js';

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
 * The only check of settings, for the extension and the server. It accepts any value: an absent one gets its default
 * silently, a malformed one gets its default and an entry in `problems`.
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
    problems.push(`Setting ${idOf(name)} must be ${expected}, not ${describe(candidate)}; using the default.`);
    return DEFAULT_SETTINGS[name];
  }

  const readNumber = (name: keyof typeof SETTING_RANGES, kind: 'number' | 'whole number' = 'number'): number => {
    const { minimum, maximum } = SETTING_RANGES[name];
    return read(
      name,
      (candidate): candidate is number =>
        isNumber(candidate, minimum, maximum) && (kind === 'number' || Number.isInteger(candidate)),
      `a ${kind} from ${minimum} to ${maximum}`,
    );
  };
  const readInteger = (name: keyof typeof SETTING_RANGES): number => readNumber(name, 'whole number');
  const readSwitch = (name: FieldOf<boolean>): boolean => read(name, isBoolean, 'true or false');
  const readText = (name: FieldOf<string>): string => read(name, isText, 'a string').trim();

  const settings: InklingSettings = {
    enabled: readSwitch('enabled'),
    languages: usableSwitches(read('languages', isRecord as IsLanguages, 'an object'), problems),
    modelPath: readText('modelPath'),
    chatModelPath: readText('chatModelPath'),
    remoteUrl: readText('remoteUrl'),
    remoteKind: read('remoteKind', oneOf(REMOTE_KINDS), `one of ${REMOTE_KINDS.join(', ')}`),
    remoteModel: readText('remoteModel'),
    device: readText('device'),
    threads: readInteger('threads'),
    contextLength: readInteger('contextLength'),
    speculation: read('speculation', oneOf(SPECULATION_MODES), `one of ${SPECULATION_MODES.join(', ')}`),
    engineShare: read('engineShare', oneOf(SHARE_MODES), `one of ${SHARE_MODES.join(', ')}`),
    memoryBudgetGb: readNumber('memoryBudgetGb'),
    unloadAfterMinutes: readNumber('unloadAfterMinutes'),
    onBattery: read('onBattery', oneOf(['keep', 'freeCaches', 'unload']), '"keep", "freeCaches" or "unload"'),
    trigger: read('trigger', oneOf(['automatic', 'manual']), '"automatic" or "manual"'),
    eagerness: read('eagerness', oneOf(EAGERNESS), `one of ${EAGERNESS.join(', ')}`),
    inComments: readSwitch('inComments'),
    inStrings: readSwitch('inStrings'),
    maxTokens: readInteger('maxTokens'),
    timeBudgetMs: readInteger('timeBudgetMs'),
    nextEditMode: read('nextEditMode', oneOf(NEXT_EDIT_MODES), `one of ${NEXT_EDIT_MODES.join(', ')}`),
    contextEnabled: readSwitch('contextEnabled'),
    contextExclude: usableTexts(read('contextExclude', Array.isArray as IsTexts, 'a list of globs'), problems),
    contextClipboard: readSwitch('contextClipboard'),
  };
  return { settings, problems: problems.slice(0, MOST_PROBLEMS) };
}

/** As users of VS Code know it; users of other editors write the field. */
function idOf(field: keyof InklingSettings): string {
  const id = `inkling.${SETTING_KEYS[field]}`;
  return id.endsWith(`.${field}`) ? id : `${id} (${field})`;
}

/** The log names no more malformed values. */
const MOST_PROBLEMS = 20;

/** The names of the settings that accept every value of type `T`. */
type FieldOf<T> = { [K in keyof InklingSettings]: T extends InklingSettings[K] ? K : never }[keyof InklingSettings];

// Their entries are checked one by one.
type IsLanguages = (value: unknown) => value is InklingSettings['languages'];
type IsTexts = (value: unknown) => value is readonly string[];

/** Keeps the usable entries, so that one typing mistake does not lose the other languages. */
function usableSwitches(languages: Readonly<Record<string, unknown>>, problems: string[]): Record<string, boolean> {
  const switches: [string, boolean][] = [];
  for (const [language, enabled] of Object.entries(languages)) {
    if (isBoolean(enabled)) switches.push([language, enabled]);
    else
      problems.push(
        `Setting ${idOf('languages')}[${describe(language)}] must be true or false, not ${describe(enabled)}; ignored.`,
      );
  }
  return Object.fromEntries(switches);
}

/** Keeps the usable entries: one malformed entry must not remove the other exclusions. */
function usableTexts(globs: readonly unknown[], problems: string[]): readonly string[] {
  for (const glob of globs) {
    if (!isText(glob))
      problems.push(`Setting ${idOf('contextExclude')} must hold globs, not ${describe(glob)}; ignored.`);
  }
  return globs.filter(isText);
}

function oneOf<T extends string>(values: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => (values as readonly unknown[]).includes(value);
}

/** Lists and objects are only named: they may be of any size and depth. */
function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  const text = isText(value) ? JSON.stringify(cutText(value, LONGEST_QUOTE)) : String(value);
  return text.length > LONGEST_QUOTE ? `${cutText(text, LONGEST_QUOTE - 3)}...` : text;
}

const LONGEST_QUOTE = 60;
