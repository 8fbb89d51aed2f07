import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FONT, iconFont } from '../../extension/icon-font.mjs';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from '../../extension/src/manifest/command-ids.js';
import {
  REPOSITORY_URL_KEY,
  readSettings,
  readStatusMemory,
  STATUS_MEMORY,
  STATUS_MEMORY_KEY,
} from '../../extension/src/manifest/settings.js';
import { ACCEPTED_COMMAND, DEFAULT_SETTINGS, type InklingSettings, SETTING_KEYS } from '../../server/protocol/index.js';
import { type Json, localised, nlsKeys } from '../support/manifest.js';
import { listSources, REPOSITORY_ROOT, readSource } from '../support/source-tree.js';

interface SettingSchema {
  readonly type: string;
  readonly default: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly scope?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly order?: number;
}

interface Manifest {
  readonly icon?: string;
  readonly extensionKind: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: unknown;
      readonly description: string;
      readonly restrictedConfigurations?: readonly string[];
    };
    readonly virtualWorkspaces: { readonly supported: unknown; readonly description: string };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
    readonly keybindings: readonly (Readonly<Partial<Record<'key' | 'mac' | 'linux' | 'win', string>>> & {
      readonly command: string;
      readonly when: string;
    })[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly id: string;
        readonly description: string;
        readonly media: { readonly image: Readonly<Record<string, string>>; readonly altText: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly icons: Readonly<Record<string, { readonly default: { readonly fontPath: string } }>>;
    readonly configuration: readonly {
      readonly title: string;
      readonly order: number;
      readonly properties: Readonly<Record<string, SettingSchema>>;
    }[];
  };
}

const source = JSON.parse(readSource('package.json')) as Json;
const english = JSON.parse(readSource('package.nls.json')) as Readonly<Record<string, string>>;
const manifest = localised(source, english) as unknown as Manifest;
const schema: Readonly<Record<string, SettingSchema>> = Object.assign(
  {},
  ...manifest.contributes.configuration.map(({ properties }) => properties),
);
const contributed = manifest.contributes.commands.map(({ command }) => command);

/** Settings that only VS Code's own libraries or the extension read. */
const EDITOR_SETTINGS = ['inkling.trace.server', `inkling.${REPOSITORY_URL_KEY}`, `inkling.${STATUS_MEMORY_KEY}`];

/**
 * Settings with which a workspace could load a file, reach a host, read the clipboard, or use the machine's memory,
 * threads or time.
 */
const MACHINE_SETTING =
  /path|url|host|address|remote|clipboard|budget|threads|contextLength|unloadAfter|battery|timeBudget/i;

describe('settings in package.json', () => {
  test('are those that the extension reads', () => {
    const read = Object.values(SETTING_KEYS).map((key) => `inkling.${key}`);
    expect(Object.keys(schema).sort()).toEqual([...read, ...EDITOR_SETTINGS].sort());
  });

  test.each(Object.keys(DEFAULT_SETTINGS) as (keyof InklingSettings)[])('declare the default of %s', (field) => {
    expect(schema[`inkling.${SETTING_KEYS[field]}`]?.default).toEqual(DEFAULT_SETTINGS[field]);
  });

  test('give the default settings when nothing is changed', () => {
    const defaultOf = (key: string) => schema[`inkling.${key}`]?.default;
    const configuration = { get: defaultOf, inspect: (key: string) => ({ defaultValue: defaultOf(key) }) };
    expect(readSettings(configuration)).toEqual(DEFAULT_SETTINGS);
  });

  test('let the status bar show the memory in the ways that the extension knows', () => {
    const setting = schema[`inkling.${STATUS_MEMORY_KEY}`];
    expect(setting?.enum).toEqual(STATUS_MEMORY);
    expect(STATUS_MEMORY.map((value) => readStatusMemory({ get: () => value }))).toEqual(STATUS_MEMORY);
    expect(readStatusMemory({ get: () => 7 })).toBe(setting?.default);
  });

  test.each(Object.keys(schema))('describe %s, with a default within its bounds', (name) => {
    const setting = schema[name]!;
    expect(setting.markdownDescription ?? setting.description).toMatch(/\S.*\.$/s);
    if (typeof setting.default !== 'number') return;
    expect(setting.minimum).toBeLessThanOrEqual(setting.default);
    expect(setting.default).toBeLessThanOrEqual(setting.maximum ?? Number.POSITIVE_INFINITY);
  });

  test('let no workspace choose the model file or its source', () => {
    expect(schema['inkling.model.path']?.scope).toBe('machine');
    expect(schema['inkling.model.repositoryUrl']?.scope).toBe('machine');
  });

  test.each(Object.keys(schema))('%s belongs to the machine if it names a path, an address or a budget', (name) => {
    if (MACHINE_SETTING.test(name)) expect(schema[name]?.scope).toMatch(/^machine(-overridable)?$/);
  });

  test('are in groups; groups and settings have a title and an order', () => {
    const { configuration } = manifest.contributes;
    expect(configuration.map(({ order }) => order)).toEqual(configuration.map((_, index) => index + 1));
    for (const { title, properties } of configuration) {
      expect(title).toMatch(/\S/);
      const orders = Object.values(properties).map(({ order }) => order ?? 0);
      expect([title, orders.sort((left, right) => left - right)]).toEqual([title, orders.map((_, index) => index + 1)]);
    }
  });

  // VS Code's settings editor is the only place that documents them.
  test.each(Object.keys(english).filter((key) => /^setting\./.test(key)))('%s is in whole sentences', (key) => {
    const text = english[key]!.replaceAll(/`[^`]*`|\]\([^)]*\)/g, 'x');
    for (const sentence of text.split(/(?<=\.) /)) {
      expect(sentence).toMatch(/^[A-Zx[][^:]*(?:: [^:]*)?\.$/);
      expect(sentence.split(' ').length).toBeGreaterThan(2);
      expect(sentence.split(' ').length).toBeLessThanOrEqual(25);
      expect(sentence).not.toMatch(/^(?:Whether|Which|When|Where|What|How)\b|^(?:Empty|x): /);
    }
  });

  test.each(Object.keys(english).filter((key) => /^command\./.test(key)))('%s is in title case', (key) => {
    expect(english[key]).toMatch(/^[A-Z]\w*(?: (?:[A-Z]\w*|a|and|for|of|or|to))*\??$/);
  });
});

describe('texts in package.json', () => {
  test('are exactly those in package.nls.json', () => {
    const used = nlsKeys(source);
    expect([...used.keys].sort()).toEqual(Object.keys(english).sort());
    expect(used.texts).toEqual([]);
  });

  test.each(readdirSync(REPOSITORY_ROOT).filter((name) => /^package\.nls\.[\w-]+\.json$/.test(name)))(
    '%s translates every text',
    (file) => {
      const translated = JSON.parse(readSource(file)) as Readonly<Record<string, string>>;
      expect(Object.keys(english)).toEqual(expect.arrayContaining(Object.keys(translated)));
      for (const [key, text] of Object.entries(translated))
        expect([key, linksIn(text)]).toEqual([key, linksIn(english[key]!)]);
    },
  );
});

/** Addresses, commands and settings in a text, which all languages share. */
function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\([^)]+\)|`?#[\w.]+#`?|`[^`]+`/g)].map(([link]) => link).sort();
}

describe('commands in package.json', () => {
  const code = listSources('extension/src', /\.ts$/).map(readSource).join('\n');

  test('are those that the extension names', () => {
    expect([...contributed].sort()).toEqual(Object.values(INKLING_COMMANDS).sort());
  });

  test.each(Object.keys(INKLING_COMMANDS))('%s is registered', (key) => {
    expect(code).toContain(`registerCommand(INKLING_COMMANDS.${key},`);
  });

  test('leave out the internal one of suggestions, which is registered', () => {
    expect(contributed).not.toContain(ACCEPTED_COMMAND);
    expect(code).toContain('registerCommand(ACCEPTED_COMMAND,');
  });

  const NEXT_EDIT_COMMANDS: readonly string[] = [INKLING_COMMANDS.acceptNextEdit, INKLING_COMMANDS.dismissNextEdit];
  const CHAT_COMMANDS: readonly string[] = [
    ...[INKLING_COMMANDS.openChat, INKLING_COMMANDS.newConversation],
    ...[INKLING_COMMANDS.editSelection, INKLING_COMMANDS.keepEdit, INKLING_COMMANDS.undoEdit],
  ];
  const ofChat = manifest.contributes.keybindings.filter(({ command }) => CHAT_COMMANDS.includes(command));
  const ofSuggestions = manifest.contributes.keybindings.filter(
    ({ command }) => !NEXT_EDIT_COMMANDS.includes(command) && !CHAT_COMMANDS.includes(command),
  );
  const ofNextEdits = manifest.contributes.keybindings.filter(({ command }) => NEXT_EDIT_COMMANDS.includes(command));

  test('by a key are contributed', () => {
    expect(contributed).toEqual(expect.arrayContaining(manifest.contributes.keybindings.map(({ command }) => command)));
    expect(ofSuggestions).toHaveLength(2);
  });

  test.each(ofChat)("by a key for the chat: $command, two keys with the platform's own modifier", ({ key, mac }) => {
    // One key alone is taken by VS Code, or writes a character on some keyboards, as with Control and Alt.
    expect(key).toMatch(/^ctrl\+k ctrl\+(?:[a-z]|enter|backspace)$/);
    expect(mac).toBe(key?.replaceAll('ctrl', 'cmd'));
  });

  describe('by a key for next edits', () => {
    test('Tab goes to one or makes it, Escape hides it, and there are no others', () => {
      const keys = ofNextEdits.map(({ command, when, ...rest }) => [command, rest]);
      expect(keys).toEqual([
        [INKLING_COMMANDS.acceptNextEdit, { key: 'tab', args: 'tab' }],
        [INKLING_COMMANDS.dismissNextEdit, { key: 'escape' }],
      ]);
    });

    test.each(ofNextEdits)(
      '$command only while one is drawn, and never what the editor itself waits for',
      ({ when }) => {
        expect(when).not.toContain('||');
        expect(when.split(' && ')).toEqual(
          expect.arrayContaining([
            'inkling.nextEditVisible',
            'editorTextFocus',
            '!editorHasSelection',
            '!editorHasMultipleSelections',
            '!suggestWidgetVisible',
            '!inlineSuggestionVisible',
            '!inSnippetMode',
          ]),
        );
      },
    );

    test('Tab is never taken from indentation, read-only text or the way to the next control', () => {
      const conditions = ofNextEdits[0]?.when.split(' && ');
      expect(conditions).toEqual(
        expect.arrayContaining(['inkling.nextEditTakesTab', '!editorReadonly', '!editorTabMovesFocus']),
      );
    });

    test('Escape closes what lies over the text first', () => {
      const conditions = ofNextEdits[1]?.when.split(' && ');
      expect(conditions).toEqual(expect.arrayContaining(['!findWidgetVisible', '!parameterHintsVisible']));
    });

    test.each(ofNextEdits.flatMap(({ when }) => when.match(/\binkling\.\w+/g) ?? []))(
      '%s is a key that is set',
      (key) => {
        expect(readSource('extension/src/manifest/context-keys.ts')).toContain(`'${key}'`);
      },
    );
  });

  describe.each(ofSuggestions)('by a key: $command', ({ when, ...keys }) => {
    const bound = [keys.key, keys.mac, keys.linux, keys.win].filter((key) => key !== undefined);

    test('only while a suggestion is visible behind the cursor of a writable editor', () => {
      // Like VS Code's own commands for parts of suggestions; screen reader users move the cursor by words.
      const conditions = when.split(' && ');
      expect(conditions).toEqual(
        expect.arrayContaining([
          'inlineSuggestionVisible',
          'cursorBeforeGhostText',
          '!editorReadonly',
          '!accessibilityModeEnabled',
        ]),
      );
      expect(when).not.toContain('||');
    });

    test('never Tab, Enter, Escape or a key that writes or moves by itself', () => {
      // VS Code decides when Tab accepts a suggestion.
      for (const key of bound)
        expect(key).toMatch(/^(?:ctrl|cmd|alt)\+(?:(?:shift|alt)\+)?(?!tab$|enter$|escape$)\w+$/);
    });

    test("with the platform's own modifier", () => {
      expect(keys.key).toMatch(/^ctrl\+/);
      expect(keys.mac).toBe(keys.key?.replace('ctrl', 'cmd'));
    });
  });

  test('are hidden from the palette by context keys of VS Code or the extension', () => {
    const told = readSource('extension/src/manifest/context-keys.ts');
    for (const { command, when } of manifest.contributes.menus.commandPalette) {
      expect(contributed).toContain(command);
      for (const [key] of when.matchAll(/\binkling\.\w+/g)) {
        if (!when.includes(`config.${key}`)) expect(told).toContain(`'${key}'`);
      }
    }
  });
});

describe('the walkthrough', () => {
  const [walkthrough] = manifest.contributes.walkthroughs;

  test.each(walkthrough?.steps ?? [])(
    'step $id has small pictures for every kind of theme, with descriptions',
    (step) => {
      expect(step.media.altText.length).toBeGreaterThan(40);
      expect(Object.keys(step.media.image).sort()).toEqual(['dark', 'hc', 'hcLight', 'light']);
      for (const file of Object.values(step.media.image)) {
        expect(statSync(path.join(REPOSITORY_ROOT, file)).size).toBeLessThan(80_000);
      }
    },
  );

  test.each(walkthrough?.steps ?? [])('step $id leads to commands that exist, and can be completed', (step) => {
    const known = [...contributed, ...Object.values(INTERNAL_COMMANDS), 'workbench.action.openSettings'];
    const linked = [...step.description.matchAll(/\(command:([\w.]+)/g)].map(([, command]) => command);
    const awaited = step.completionEvents.flatMap((event) => /^onCommand:(.+)$/.exec(event)?.[1] ?? []);
    expect(linked.length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining([...linked, ...awaited]));
    expect(step.completionEvents.length).toBeGreaterThan(0);
  });
});

describe('where it runs', () => {
  const { extensionKind, capabilities } = manifest;

  test('beside the code: on another machine, in a container or in WSL', () => {
    expect(extensionKind).toEqual(['workspace']);
  });

  test('in virtual and untrusted workspaces with limits that it names', () => {
    for (const { supported, description } of [capabilities.virtualWorkspaces, capabilities.untrustedWorkspaces]) {
      expect(supported).toBe('limited');
      expect(description).toMatch(/^\S.*\.$/);
    }
  });

  // With a remote server each of `sending` decides what leaves this machine.
  test('without settings of an untrusted workspace for files to load, addresses to reach, the clipboard or sending text', () => {
    const dangerous = Object.keys(schema).filter((name) => /path|url|host|address|remote|clipboard/i.test(name));
    const completion = ['completion.trigger', 'completion.inComments', 'completion.inStrings'];
    const sending = ['enabled', 'languages', ...completion, 'nextEdit.mode', 'context.enabled'];
    const restricted = [...dangerous, ...sending.map((name) => `inkling.${name}`)];
    expect([...(capabilities.untrustedWorkspaces.restrictedConfigurations ?? [])].sort()).toEqual(restricted.sort());
    expect(Object.keys(schema)).toEqual(expect.arrayContaining(restricted));
  });
});

describe('the package', () => {
  const { files } = source as unknown as { readonly files: readonly string[] };

  test('holds nothing of the tests and no page for developers', () => {
    expect(files.filter((pattern) => /^(?:test|server|native)|^extension\/(?!l10n)/.test(pattern))).toEqual([]);
    expect(files.filter((pattern) => pattern.endsWith('.md'))).toEqual(['README.md', 'CHANGELOG.md']);
  });

  // A picture that only a test or a page outside the package shows would be bytes for nobody.
  test('holds of media only what the manifest, the README or the extension shows', () => {
    const users = ['package.json', 'README.md', 'extension/packed-files.mjs', ...listSources('extension/src', /\.ts$/)];
    const shown = users.map(readSource).join('\n');
    expect(listSources('media', /\.\w+$/).filter((file) => !shown.includes(file))).toEqual([]);
  });

  test('holds the font of the status bar, made from the picture of the activity bar', () => {
    expect(readFileSync(path.join(REPOSITORY_ROOT, FONT)).equals(iconFont())).toBe(true);
    const icon = manifest.contributes.icons['inkling-drop'];
    expect(path.posix.normalize(icon?.default.fontPath ?? '')).toBe(FONT);
  });
});

describe('the oldest VS Code', () => {
  const { engines, devDependencies } = source as unknown as {
    readonly engines: { readonly vscode: string };
    readonly devDependencies: Readonly<Record<string, string>>;
  };

  // The compiler then proves that the extension uses no newer API. 1.108 is the first whose webview panels take an icon
  // of the theme.
  test('is the one whose API the extension is compiled with', () => {
    expect(engines.vscode).toBe(`^${devDependencies['@types/vscode']}`);
    const installed = JSON.parse(readSource('node_modules/@types/vscode/package.json')) as { readonly version: string };
    expect(installed.version).toBe(devDependencies['@types/vscode']);
  });

  test('is one of those that the workbench suite runs', () => {
    const [, minor] = /^\^1\.(\d+)\.0$/.exec(engines.vscode) ?? [];
    expect(readSource('test/workbench/install.mjs')).toContain(`oldest: { codeServer: '4.${minor}.`);
  });

  test('is no newer than what comparable extensions ask for', () => {
    expect(Number(/^\^1\.(\d+)\.0$/.exec(engines.vscode)?.[1])).toBeLessThanOrEqual(109);
  });
});

test('the icon exists', () => {
  if (manifest.icon !== undefined) expect(existsSync(path.join(REPOSITORY_ROOT, manifest.icon))).toBe(true);
});
