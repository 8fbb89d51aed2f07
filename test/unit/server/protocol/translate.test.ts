import { afterEach, describe, expect, it } from 'vitest';
import {
  currentTranslations,
  formatNumber,
  formatPercent,
  parseTranslations,
  setTranslations,
  t,
} from '../../../../server/protocol/index.js';

const GERMAN = { language: 'de', texts: { Ready: 'Bereit', '{0} of {1}': '{1}, davon {0}' } };

afterEach(() => setTranslations(null));

describe('t', () => {
  it('uses English by default, and for a missing text', () => {
    expect(t('Ready')).toBe('Ready');
    setTranslations(GERMAN);
    expect(t('Ready')).toBe('Bereit');
    expect(t('Stopped')).toBe('Stopped');
    expect(t('constructor')).toBe('constructor');
    setTranslations(null);
    expect(t('Ready')).toBe('Ready');
  });

  it('inserts values at their places in each language, unchanged', () => {
    expect(t('{0} of {1}', 1, '{0}$&')).toBe('1 of {0}$&');
    setTranslations(GERMAN);
    expect(t('{0} of {1}', 1, 2)).toBe('2, davon 1');
  });

  it('leaves a placeholder without a value', () => {
    expect(t('Chat with {0}')).toBe('Chat with {0}');
  });
});

it("writes numbers in the language's format", () => {
  expect(formatNumber(1234.56, 1)).toBe('1234.6');
  setTranslations(GERMAN);
  expect(formatNumber(1234.56, 1)).toBe('1234,6');
});

it("writes shares in the language's format", () => {
  expect([formatPercent(0), formatPercent(42.4), formatPercent(99)]).toEqual(['0%', '42%', '99%']);
  setTranslations(GERMAN);
  // With a blank that breaks no line.
  expect(formatPercent(42)).toBe('42\u00a0%');
});

describe('parseTranslations', () => {
  it.each([[undefined], [null], ['de'], [[]], [{}], [{ language: 'de' }], [{ language: 1, texts: {} }]])(
    'reads %j as English',
    (value) => expect(parseTranslations(value)).toBeNull(),
  );

  it('keeps valid texts', () => {
    const texts = { Ready: 'Bereit', Stopped: 7 };
    expect(parseTranslations({ language: 'de', texts })).toEqual({ language: 'de', texts: { Ready: 'Bereit' } });
  });

  it('writes numbers in English for an unknown language', () => {
    for (const language of ['qps-ploc', 'no language', '']) {
      expect(parseTranslations({ language, texts: { Ready: '[Ready]' } })).toEqual({
        language: 'en',
        texts: { Ready: '[Ready]' },
      });
    }
    setTranslations(parseTranslations({ language: 'xx-bad-!', texts: {} }));
    expect(currentTranslations().language).toBe('en');
    expect(formatNumber(0.5, 1)).toBe('0.5');
  });
});
