import { afterEach, describe, expect, it } from 'vitest';
import {
  describeUnknownLanguage,
  isLanguageId,
  languageEnabled,
  languageName,
  refuseLanguage,
  setTranslations,
} from '../../../../server/protocol/index.js';

afterEach(() => setTranslations(null));

const STARTER = {
  name: 'Inkling Starter 55M',
  isStarter: true,
  languages: ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'python'],
};

describe('languageEnabled', () => {
  it.each([
    [{}, 'python', true],
    [{ '*': false }, 'python', false],
    [{ '*': false, python: true }, 'python', true],
    [{ '*': true, python: false }, 'python', false],
    [{}, 'constructor', true],
  ])('with %j, %s: %j', (languages, languageId, expected) => {
    expect(languageEnabled({ languages }, languageId)).toBe(expected);
  });
});

describe('refuseLanguage', () => {
  it.each([
    ['a language that the model knows', {}, ['python'], 'python', null],
    ['one that it does not know', {}, ['python'], 'java', 'languageUnknown'],
    ['one that everything is on for, as by default', { '*': true }, ['python'], 'java', 'languageUnknown'],
    ['one that the user switched on', { java: true }, ['python'], 'java', null],
    ['one that the user switched off', { java: false }, ['python'], 'java', 'languageDisabled'],
    ['a known one that the user switched off', { python: false }, ['python'], 'python', 'languageDisabled'],
    ['one where all are off', { '*': false }, ['python'], 'java', 'languageDisabled'],
    ['one where all others are off', { '*': false, java: true }, ['python'], 'java', null],
    ['any language of a model that does not say', {}, null, 'java', null],
    ['a language with the name of a property of all objects', {}, ['python'], 'constructor', 'languageUnknown'],
  ])('%s', (_name, languages, known, languageId, expected) => {
    expect(refuseLanguage({ languages }, known, languageId)).toBe(expected);
  });
});

describe('languageName', () => {
  it.each([
    ['cpp', 'C++'],
    ['typescriptreact', 'TypeScript JSX'],
    ['brainfuck', 'brainfuck'],
    ['constructor', 'constructor'],
    ['', ''],
    ['plaintext', 'Plain Text'],
  ])('of %s is %s', (id, name) => {
    expect(languageName(id)).toBe(name);
  });

  it('is known for programming languages only', () => {
    expect(['python', 'go', 'r', 'en', 'de', 'plaintext', 'code', 'toString'].filter(isLanguageId)).toEqual([
      'python',
      'go',
      'r',
    ]);
  });
});

describe('describeUnknownLanguage', () => {
  it('says what the starter model knows, and what to do', () => {
    expect(describeUnknownLanguage(STARTER, 'java')).toBe(
      'The starter model knows TypeScript, JavaScript and Python. Choose a model for Java',
    );
  });

  it('calls any other model by its name, and a language by its id where it has no other', () => {
    const own = { name: 'Own 1.5B', isStarter: false, languages: ['zig', 'brainfuck'] };
    expect(describeUnknownLanguage(own, 'ook')).toBe('Own 1.5B knows Zig and brainfuck. Choose a model for ook');
  });

  it.each([
    [['rust'], 'Rust'],
    [['typescriptreact'], 'TypeScript JSX'],
    [['c', 'cpp', 'go', 'java', 'rust'], 'C, C++, Go, Java and Rust'],
    [['c', 'cpp', 'go', 'java', 'rust', 'zig'], 'C, C++, Go and 3 other languages'],
    [['json', 'jsonc', 'jsonl', 'yaml'], 'JSON and YAML'],
    [
      Array.from({ length: 256 }, (_, index) => `language${index}`),
      'language0, language1, language2 and 253 other languages',
    ],
  ])('lists %j', (languages, list) => {
    const own = { name: 'Own', isStarter: false, languages };
    expect(describeUnknownLanguage(own, 'java')).toBe(`Own knows ${list}. Choose a model for Java`);
  });

  it('is a sentence in any language', () => {
    const texts = {
      'The starter model knows {0}. Choose a model for {1}': 'Für {1} ein Modell wählen: Das mitgelieferte kennt {0}',
      '{0} and {1}': '{0} und {1}',
    };
    setTranslations({ language: 'de', texts });
    expect(describeUnknownLanguage(STARTER, 'java')).toBe(
      'Für Java ein Modell wählen: Das mitgelieferte kennt TypeScript, JavaScript und Python',
    );
  });
});
