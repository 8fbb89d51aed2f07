import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { WorkspaceConfiguration } from 'vscode';
import { INKLING_COMMANDS } from '../../../../extension/src/manifest/command-ids.js';
import {
  CONFIGURATION_SECTION,
  DEFAULT_REPOSITORY_URL,
  invalidRepositoryUrl,
  REPOSITORY_URL_KEY,
  readRepositoryUrl,
  readSettings,
  STATUS_MEMORY_KEY,
  settingsWithoutGhostText,
  snoozedSettings,
  toggleEnabled,
  turnOnLanguage,
  writeStarterOnly,
  writtenSettings,
} from '../../../../extension/src/manifest/settings.js';
import { DEFAULT_SETTINGS, parseSettings, SETTING_KEYS } from '../../../../server/protocol/index.js';

/** A configuration in VS Code's form: dotted keys below the section. */
function configuration(values: Record<string, unknown>) {
  return { get: (key: string) => values[key], inspect: (key: string) => ({ globalValue: values[key] }) };
}

interface Manifest {
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { default: unknown; scope: string }> }[];
  };
}
const manifest: Manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
const schema = Object.assign({}, ...manifest.contributes.configuration.map((group) => group.properties));

describe('readSettings', () => {
  it('reads every field from its own setting', () => {
    const values = {
      enabled: false,
      languages: { '*': false, python: true },
      'model.path': ' /models/coder.gguf ',
      'chat.model.path': ' /models/talker.gguf ',
      'remote.url': ' http://gpu-box:8080 ',
      'remote.kind': 'ollama',
      'remote.model': 'coder:7b',
      'engine.device': ' RTX 3060 ',
      'engine.threads': 4,
      'engine.contextLength': 4096,
      'engine.speculation': 'off',
      'engine.share': 'on',
      'memory.budget': 6.5,
      'memory.unloadAfter': 0.5,
      'memory.onBattery': 'unload',
      'completion.trigger': 'manual',
      'completion.inComments': false,
      'completion.inStrings': false,
      'completion.eagerness': 'calm',
      'completion.maxTokens': 32,
      'completion.timeBudget': 500,
      'nextEdit.mode': 'eager',
      'context.enabled': false,
      'context.exclude': ['docs', 3, '*.snap'],
      'context.clipboard': true,
    };
    expect(readSettings(configuration(values))).toEqual({
      enabled: false,
      languages: { '*': false, python: true },
      modelPath: '/models/coder.gguf',
      chatModelPath: '/models/talker.gguf',
      remoteUrl: 'http://gpu-box:8080',
      remoteKind: 'ollama',
      remoteModel: 'coder:7b',
      device: 'RTX 3060',
      threads: 4,
      contextLength: 4096,
      speculation: 'off',
      engineShare: 'on',
      memoryBudgetGb: 6.5,
      unloadAfterMinutes: 0.5,
      onBattery: 'unload',
      trigger: 'manual',
      inComments: false,
      inStrings: false,
      eagerness: 'calm',
      maxTokens: 32,
      timeBudgetMs: 500,
      nextEditMode: 'eager',
      contextEnabled: false,
      contextExclude: ['docs', '*.snap'],
      contextClipboard: true,
    });
  });

  it.each([
    ['nothing', {}],
    ['text for everything', Object.fromEntries(Object.values(SETTING_KEYS).map((key) => [key, 'a']))],
    [
      'numbers that are no counts',
      {
        'engine.threads': -1,
        'memory.budget': -1,
        'memory.unloadAfter': Number.NaN,
        'completion.maxTokens': 1.5,
        'model.path': 3,
        'chat.model.path': {},
      },
    ],
    ['null', Object.fromEntries(Object.values(SETTING_KEYS).map((key) => [key, null]))],
  ])('takes the defaults in place of %s', (_name, values) => {
    const { modelPath: _path, chatModelPath: _chatPath, ...others } = readSettings(configuration(values));
    const { modelPath: _default, chatModelPath: _chatDefault, ...otherDefaults } = DEFAULT_SETTINGS;
    // Any text may be a name, an address or a glob.
    const { remoteUrl: _url, remoteModel: _model, contextExclude: _globs, device: _device, ...rest } = others;
    const { remoteUrl: _1, remoteModel: _2, contextExclude: _3, device: _4, ...defaults } = otherDefaults;
    expect(rest).toEqual(defaults);
  });

  it('drops languages that are neither on nor off', () => {
    const values = { languages: { '*': true, python: 'yes', go: false } };
    expect(readSettings(configuration(values)).languages).toEqual({ '*': true, go: false });
  });
});

describe('writtenSettings', () => {
  it('keeps what is malformed, so that the server can say so', () => {
    const written = writtenSettings(configuration({ 'engine.threads': 'two', languages: { go: 1 } }));
    expect(written).toMatchObject({ threads: 'two', languages: { go: 1 } });
    expect(parseSettings(written).problems).toHaveLength(2);
  });
});

it('settings where VS Code shows no ghost text prepare none, and leave next edits on', () => {
  const written = writtenSettings(configuration({}));
  const { trigger, nextEditMode } = parseSettings(settingsWithoutGhostText(written)).settings;
  expect({ trigger, nextEditMode }).toEqual({ trigger: 'manual', nextEditMode: DEFAULT_SETTINGS.nextEditMode });
});

describe('snoozedSettings', () => {
  it('lets the server do nothing by itself, and leaves the rest', () => {
    const written = writtenSettings(configuration({ 'completion.trigger': 'automatic', 'engine.threads': 'two' }));
    expect(snoozedSettings(written)).toEqual({ ...written, trigger: 'manual', nextEditMode: 'off' });
    expect(parseSettings(snoozedSettings(written)).settings).toMatchObject({ trigger: 'manual', nextEditMode: 'off' });
  });
});

describe('readRepositoryUrl', () => {
  it.each([
    ['https://mirror.example/', 'https://mirror.example', null],
    ['http://10.0.0.1:8080', 'http://10.0.0.1:8080', null],
    ['', DEFAULT_REPOSITORY_URL, null],
    [undefined, DEFAULT_REPOSITORY_URL, null],
    [' mirror.example', DEFAULT_REPOSITORY_URL, 'mirror.example'],
    ['file:///models', DEFAULT_REPOSITORY_URL, 'file:///models'],
    [3, DEFAULT_REPOSITORY_URL, '3'],
  ])('reads %j as %s', (value, expected, invalid) => {
    const configuration = { get: (key: string) => (key === REPOSITORY_URL_KEY ? value : undefined) };
    expect(readRepositoryUrl(configuration)).toBe(expected);
    expect(invalidRepositoryUrl(configuration)).toBe(invalid);
  });
});

describe('toggleEnabled', () => {
  async function toggled(enabled: boolean, workspaceValue?: boolean) {
    const updates: unknown[][] = [];
    await toggleEnabled({
      get: <T>() => enabled as T,
      inspect: <T>(key: string) => ({ key, workspaceValue: workspaceValue as T | undefined }),
      update: async (...change: unknown[]) => {
        updates.push(change);
      },
    });
    return updates;
  }

  it('changes the user setting', async () => {
    expect(await toggled(true)).toEqual([['enabled', false, true]]);
    expect(await toggled(false)).toEqual([['enabled', true, true]]);
  });

  it('changes the workspace setting if that overrides it', async () => {
    expect(await toggled(false, false)).toEqual([['enabled', true, false]]);
  });
});

describe('turnOnLanguage', () => {
  it.each<readonly [string, object, unknown[]]>([
    ['the defaults', {}, [{ plaintext: true }, true]],
    ['a user who has other languages', { globalValue: { go: false } }, [{ go: false, plaintext: true }, true]],
    ['a workspace that turns it off', { workspaceValue: { plaintext: false } }, [{ plaintext: true }, false]],
    ['a workspace that turns off another', { workspaceValue: { go: false } }, [{ plaintext: true }, true]],
    ['values that are no object', { globalValue: 'go', workspaceValue: 3 }, [{ plaintext: true }, true]],
  ])('changes what decides with %s', async (_name, values, change) => {
    const updates: unknown[] = [];
    const inspect = (key: string) => ({ key, ...values });
    const update = async (...update: unknown[]) => {
      updates.push(update);
    };
    await turnOnLanguage({ inspect, update } as unknown as WorkspaceConfiguration, 'plaintext');
    expect(updates).toEqual([['languages', ...change]]);
  });
});

describe('package.json', () => {
  it('declares exactly the settings in use, with the same defaults', () => {
    const declared = Object.fromEntries(
      Object.entries(SETTING_KEYS).map(([field, key]) => [field, schema[`${CONFIGURATION_SECTION}.${key}`]?.default]),
    );
    expect(declared).toEqual(DEFAULT_SETTINGS);
    // The last one is read by vscode-languageclient.
    const keys = [...Object.values(SETTING_KEYS), REPOSITORY_URL_KEY, STATUS_MEMORY_KEY, 'trace.server'];
    expect(Object.keys(schema).sort()).toEqual(keys.map((key) => `${CONFIGURATION_SECTION}.${key}`).sort());
    expect(schema[`${CONFIGURATION_SECTION}.${REPOSITORY_URL_KEY}`]?.default).toBe(DEFAULT_REPOSITORY_URL);
  });

  it('lets no workspace set paths and budgets', () => {
    const machine = [
      'model.path',
      'chat.model.path',
      REPOSITORY_URL_KEY,
      'engine.threads',
      'engine.contextLength',
      'engine.speculation',
      'memory.budget',
      'memory.unloadAfter',
      'memory.onBattery',
      'completion.timeBudget',
      'context.clipboard',
    ];
    expect(machine.map((key) => schema[`inkling.${key}`].scope)).toEqual(machine.map(() => 'machine'));
  });

  it('contributes exactly the commands that are registered', () => {
    const contributed = manifest.contributes.commands.map((each) => each.command);
    expect(contributed.sort()).toEqual(Object.values(INKLING_COMMANDS).sort());
  });
});

describe('writeStarterOnly', () => {
  it.each<readonly [string, Record<string, unknown>, readonly string[]]>([
    ['suggestions', { 'model.path': '/coder.gguf' }, ['model.path']],
    ['chat', { 'chat.model.path': '/talker.gguf' }, ['model.path', 'chat.model.path']],
    ['both', { 'model.path': '/a.gguf', 'chat.model.path': '/b.gguf' }, ['model.path', 'chat.model.path']],
  ])('leaves no model of the user for %s', async (_name, values, cleared) => {
    const updates: unknown[] = [];
    const update = async (...update: unknown[]) => {
      updates.push(update);
    };
    await writeStarterOnly({ ...configuration(values), update } as unknown as WorkspaceConfiguration);
    expect(updates).toEqual(cleared.map((key) => [key, undefined, true]));
  });
});
