import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, parseSettings, SETTING_RANGES } from '../../../../server/protocol/index.js';
import { SettingsStore } from '../../../../server/src/settings/settings-store.js';
import { SILENT } from '../scripted-engine.js';

describe('parseSettings', () => {
  it.each([undefined, null, {}])('gives the defaults for %j', (value) => {
    expect(parseSettings(value)).toEqual({ settings: DEFAULT_SETTINGS, problems: [] });
  });

  it('uses given values', () => {
    const given = { ...DEFAULT_SETTINGS, enabled: false, threads: 3, modelPath: '/a.gguf', languages: { '*': false } };
    expect(parseSettings(given)).toEqual({ settings: given, problems: [] });
  });

  it.each([['text'], [7], [[]]])('refuses %j as a whole, with a message', (value) => {
    const { settings, problems } = parseSettings(value);
    expect(settings).toEqual(DEFAULT_SETTINGS);
    expect(problems).toHaveLength(1);
  });

  it.each([
    [{ enabled: 1 }, 'inkling.enabled'],
    [{ languages: ['typescript'] }, 'inkling.languages'],
    [{ modelPath: 5 }, 'inkling.model.path (modelPath)'],
    [{ threads: 1.5 }, 'inkling.engine.threads'],
    [{ threads: Number.NaN }, 'inkling.engine.threads'],
    [{ contextLength: -1 }, 'inkling.engine.contextLength'],
    [{ maxTokens: 0 }, 'inkling.completion.maxTokens'],
    [{ maxTokens: '64' }, 'inkling.completion.maxTokens'],
    [{ timeBudgetMs: 1e9 }, 'inkling.completion.timeBudget (timeBudgetMs)'],
    [{ memoryBudgetGb: -1 }, 'inkling.memory.budget (memoryBudgetGb)'],
    [{ unloadAfterMinutes: Number.NaN }, 'inkling.memory.unloadAfter (unloadAfterMinutes)'],
    [{ onBattery: 'sometimes' }, 'inkling.memory.onBattery'],
    [{ contextEnabled: 'no' }, 'inkling.context.enabled (contextEnabled)'],
    [{ contextExclude: 'docs' }, 'inkling.context.exclude (contextExclude)'],
    [{ speculation: 'sometimes' }, 'inkling.engine.speculation'],
    [{ contextClipboard: 1 }, 'inkling.context.clipboard (contextClipboard)'],
  ])('replaces %j by the default and names the setting of VS Code, and the field of other editors', (value, name) => {
    const { settings, problems } = parseSettings(value);
    expect(settings).toEqual(DEFAULT_SETTINGS);
    expect(problems).toEqual([expect.stringContaining(`Setting ${name} must be`)]);
  });

  it('quotes a value up to a whole character', () => {
    for (const odd of ['', 'x']) {
      const [problem = ''] = parseSettings({ maxTokens: odd + '\u{1F600}'.repeat(100) }).problems;
      expect(problem).toContain('\u{1F600}...');
      expect(problem.isWellFormed()).toBe(true);
    }
  });

  it('keeps the valid languages', () => {
    const { settings, problems } = parseSettings({ languages: { python: true, ruby: 'no' } });
    expect(settings.languages).toEqual({ python: true });
    expect(problems).toHaveLength(1);
  });

  it('keeps the globs that are right', () => {
    const { settings, problems } = parseSettings({ contextExclude: ['docs', 3, '*.snap'] });
    expect(settings.contextExclude).toEqual(['docs', '*.snap']);
    expect(problems).toHaveLength(1);
  });

  it('trims paths and addresses', () => {
    const { settings } = parseSettings({ modelPath: ' /a.gguf ', remoteUrl: ' http://gpu-box ' });
    expect(settings).toMatchObject({ modelPath: '/a.gguf', remoteUrl: 'http://gpu-box' });
  });

  it("allows the manifest's ranges", () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
    const properties = Object.assign(
      {},
      ...manifest.contributes.configuration.map((part: { properties: object }) => part.properties),
    );
    const ranges = {
      threads: properties['inkling.engine.threads'],
      contextLength: properties['inkling.engine.contextLength'],
      maxTokens: properties['inkling.completion.maxTokens'],
      timeBudgetMs: properties['inkling.completion.timeBudget'],
      memoryBudgetGb: properties['inkling.memory.budget'],
      unloadAfterMinutes: properties['inkling.memory.unloadAfter'],
    };
    for (const [name, range] of Object.entries(SETTING_RANGES)) {
      expect(ranges[name as keyof typeof ranges], name).toMatchObject(range);
    }
  });
});

describe('SettingsStore', () => {
  it('replaces everything with each update, calls its listeners, and logs problems', () => {
    const warnings: string[] = [];
    const store = new SettingsStore({ ...SILENT, warn: (message) => warnings.push(message) });
    const seen: number[] = [];
    store.onDidChange(({ maxTokens }) => seen.push(maxTokens));
    store.update({ maxTokens: 10, threads: 'x' });
    store.update({});
    expect(seen).toEqual([10, 64]);
    expect(warnings).toHaveLength(1);
    expect(store.current).toEqual(DEFAULT_SETTINGS);
  });
});
