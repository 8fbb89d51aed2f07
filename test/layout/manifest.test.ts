import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { INKLING_COMMANDS } from '../../extension/src/command-ids.js';
import { REPOSITORY_URL_KEY, readSettings, SETTING_KEYS } from '../../extension/src/settings.js';
import { ACCEPTED_COMMAND, DEFAULT_SETTINGS, type InklingSettings } from '../../server/protocol/index.js';
import { listSources, REPOSITORY_ROOT, readSource } from '../support/source-tree.js';

interface SettingSchema {
  readonly type: string;
  readonly default: unknown;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly scope?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Manifest {
  readonly icon?: string;
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations?: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly keybindings?: readonly { readonly command: string; readonly when?: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, SettingSchema>> }[];
  };
}

const manifest = JSON.parse(readSource('package.json')) as Manifest;
const schema: Readonly<Record<string, SettingSchema>> = Object.assign(
  {},
  ...manifest.contributes.configuration.map(({ properties }) => properties),
);
const contributed = manifest.contributes.commands.map(({ command }) => command);

/** Settings that VS Code's own libraries or the extension alone read; the server never sees them. */
const EDITOR_SETTINGS = ['inkling.trace.server', `inkling.${REPOSITORY_URL_KEY}`];

describe('settings in package.json', () => {
  test('are those that the extension reads', () => {
    const read = Object.values(SETTING_KEYS).map((key) => `inkling.${key}`);
    expect(Object.keys(schema).sort()).toEqual([...read, ...EDITOR_SETTINGS].sort());
  });

  test.each(Object.keys(DEFAULT_SETTINGS) as (keyof InklingSettings)[])('declare the default of %s', (field) => {
    expect(schema[`inkling.${SETTING_KEYS[field]}`]?.default).toEqual(DEFAULT_SETTINGS[field]);
  });

  test('give the default settings when nothing is changed', () => {
    expect(readSettings({ get: (key) => schema[`inkling.${key}`]?.default })).toEqual(DEFAULT_SETTINGS);
  });

  test.each(Object.keys(schema))('describe %s, with a default within its bounds', (name) => {
    const setting = schema[name]!;
    expect(setting.markdownDescription ?? setting.description).toMatch(/\S.*\.$/s);
    if (typeof setting.default !== 'number') return;
    expect(setting.minimum).toBeLessThanOrEqual(setting.default);
    expect(setting.default).toBeLessThanOrEqual(setting.maximum ?? Number.POSITIVE_INFINITY);
  });

  test('let no workspace choose the file that is loaded, or where it comes from', () => {
    expect(schema['inkling.model.path']?.scope).toBe('machine');
    expect(schema['inkling.model.repositoryUrl']?.scope).toBe('machine');
  });
});

describe('commands in package.json', () => {
  const code = listSources('extension/src', /\.ts$/).map(readSource).join('\n');

  test('are those that the extension names', () => {
    expect([...contributed].sort()).toEqual(Object.values(INKLING_COMMANDS).sort());
  });

  test.each(Object.keys(INKLING_COMMANDS))('%s is registered', (key) => {
    expect(code).toContain(`registerCommand(INKLING_COMMANDS.${key},`);
  });

  test('leave out the one that only suggestions run, which is registered too', () => {
    expect(contributed).not.toContain(ACCEPTED_COMMAND);
    expect(code).toContain('registerCommand(ACCEPTED_COMMAND,');
  });

  test('are the only ones bound to keys, and only while a suggestion is visible', () => {
    for (const { command, when } of manifest.contributes.keybindings ?? []) {
      expect(contributed).toContain(command);
      expect(when).toContain('inlineSuggestionVisible');
    }
  });
});

test('the icon exists', () => {
  if (manifest.icon !== undefined) expect(existsSync(path.join(REPOSITORY_ROOT, manifest.icon))).toBe(true);
});
