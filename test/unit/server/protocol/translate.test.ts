import { afterEach, describe, expect, it } from 'vitest';
import {
  currentTranslations,
  formatNumber,
  parseTranslations,
  setTranslations,
  t,
} from '../../../../server/protocol/index.js';

const GERMAN = { language: 'de', texts: { Ready: 'Bereit', '{0} of {1}': '{1}, davon {0}' } };

afterEach(() => setTranslations(null));

describe('t', () => {
  it('speaks English until it is told otherwise, and where a text is missing', () => {
    expect(t('Ready')).toBe('Ready');
    setTranslations(GERMAN);
    expect(t('Ready')).toBe('Bereit');
    expect(t('Paused')).toBe('Paused');
    expect(t('constructor')).toBe('constructor');
    setTranslations(null);
    expect(t('Ready')).toBe('Ready');
  });

  it('puts values where they stand in each language, as they are', () => {
    expect(t('{0} of {1}', 1, '{0}$&')).toBe('1 of {0}$&');
    setTranslations(GERMAN);
    expect(t('{0} of {1}', 1, 2)).toBe('2, davon 1');
  });

  it('leaves a place that has no value', () => {
    expect(t('Chat with {0}')).toBe('Chat with {0}');
  });
});

it('writes numbers as the language does', () => {
  expect(formatNumber(1234.56, 1)).toBe('1234.6');
  setTranslations(GERMAN);
  expect(formatNumber(1234.56, 1)).toBe('1234,6');
});

describe('parseTranslations', () => {
  it.each([[undefined], [null], ['de'], [[]], [{}], [{ language: 'de' }], [{ language: 1, texts: {} }]])(
    'takes %j for English',
    (value) => expect(parseTranslations(value)).toBeNull(),
  );

  it('keeps what is text', () => {
    const texts = { Ready: 'Bereit', Paused: 7 };
    expect(parseTranslations({ language: 'de', texts })).toEqual({ language: 'de', texts: { Ready: 'Bereit' } });
  });

  it('writes numbers in English for a language that is none', () => {
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
