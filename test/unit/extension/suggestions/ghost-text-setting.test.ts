import { describe, expect, it } from 'vitest';
import {
  GHOST_TEXT_SETTING,
  mayShowGhostText,
  onDidChangeGhostText,
} from '../../../../extension/src/suggestions/ghost-text-setting.js';

interface Scope {
  readonly value: unknown;
  readonly languageIds?: readonly string[];
}

const scope = (value: unknown, languageIds?: readonly string[]): Scope => ({
  value,
  ...(languageIds === undefined ? {} : { languageIds }),
});

/** What is needed of VS Code's workspace. Its folders are their own settings. */
class Workspace {
  window: Scope;
  workspaceFolders: readonly Scope[] | undefined;
  readonly configurationListeners = new Set<(event: { affectsConfiguration(section: string): boolean }) => void>();
  readonly folderListeners = new Set<() => void>();

  constructor(window: Scope, ...folders: readonly Scope[]) {
    this.window = window;
    this.workspaceFolders = folders.length === 0 ? undefined : folders;
  }

  getConfiguration(_section: undefined, folder: Scope | undefined) {
    const { value, languageIds } = folder ?? this.window;
    return {
      get: (key: string) => (key === GHOST_TEXT_SETTING ? value : undefined),
      inspect: () => (languageIds === undefined ? undefined : { languageIds }),
    };
  }

  onDidChangeConfiguration(listener: (event: { affectsConfiguration(section: string): boolean }) => void) {
    return added(this.configurationListeners, listener);
  }

  onDidChangeWorkspaceFolders(listener: () => void) {
    return added(this.folderListeners, listener);
  }

  changed(setting: string): void {
    const event = { affectsConfiguration: (section: string) => setting.startsWith(section) };
    for (const listener of this.configurationListeners) listener(event);
  }

  /** In VS Code's order: the settings are there before the folder is. */
  changeFolders(...folders: readonly Scope[]): void {
    this.changed(GHOST_TEXT_SETTING);
    this.workspaceFolders = folders;
    for (const listener of this.folderListeners) listener();
  }
}

function added<T>(listeners: Set<T>, listener: T): { dispose(): void } {
  listeners.add(listener);
  return { dispose: () => listeners.delete(listener) };
}

it.each([
  ['it is on', [scope(true)], true],
  ['VS Code does not say', [scope(undefined)], true],
  ['it is off', [scope(false)], false],
  ['it is off in each folder', [scope(false), scope(false, [])], false],
  ['a folder turns it on', [scope(false), scope(true)], true],
  ['a language has a value of its own', [scope(false, ['python'])], true],
] as const)('where %s', (_name, [window, ...folders], expected) => {
  expect(mayShowGhostText(new Workspace(window, ...folders))).toBe(expected);
});

describe('whoever follows it', () => {
  const follow = (workspace: Workspace) => {
    const heard: boolean[] = [];
    const registrations = onDidChangeGhostText(workspace, () => heard.push(mayShowGhostText(workspace)));
    return { heard, registrations };
  };

  it('hears of its changes, and of no other setting', () => {
    const workspace = new Workspace(scope(false));
    const { heard } = follow(workspace);
    workspace.changed('editor.fontSize');
    expect(heard).toEqual([]);
    workspace.window = scope(true);
    workspace.changed(GHOST_TEXT_SETTING);
    expect(heard).toEqual([true]);
  });

  it('hears of a folder that turns it on, and of its end', () => {
    const workspace = new Workspace(scope(false));
    const { heard } = follow(workspace);
    workspace.changeFolders(scope(true));
    expect(heard.at(-1)).toBe(true);
    workspace.changeFolders();
    expect(heard.at(-1)).toBe(false);
  });

  it('hears nothing after its end', () => {
    const workspace = new Workspace(scope(false));
    const { heard, registrations } = follow(workspace);
    for (const registration of registrations) registration.dispose();
    workspace.changeFolders(scope(true));
    expect(heard).toEqual([]);
  });
});
