import { expect, test } from 'vitest';
import { readBundles } from '../../extension/l10n.mjs';

/** What texts count. A new noun belongs here with its first text. */
const NOUNS =
  'bytes|changes|characters|commits|dimensions|entries|files|folders|languages|lines|messages|minutes|models|parts|' +
  'problems|questions|seconds|servers|suggestions|tensors|times|tokens|turns|windows|words';
const COUNTED = new RegExp(String.raw`\{\d\}(?: \w+)? (?:${NOUNS})\b`, 'i');

/** The text that stands for one, for each text that counts. */
const OF_ONE: Readonly<Record<string, string>> = {
  '- {0} lines': '- 1 line',
  'Memory in use over the last {3} minutes: now {0}, lowest {1}, highest {2}.':
    'Memory in use over the last minute: now {0}, lowest {1}, highest {2}.',
  'Suggested {0} characters': 'Suggested one character',
  'The model left out the {0} oldest questions.': 'The model left out the oldest question.',
  'add {0} lines': 'add `{0}`',
  'change {0} lines': 'change to `{0}`',
  'remove {0} lines': 'remove `{0}`',
  '{0} changes. Keep or undo them.': '1 change. Keep or undo it.',
  '{0} later questions were removed.': '1 later question was removed.',
  '{0}, oldest {1} questions left out': '{0}, oldest question left out',
  '{0}, {1} tokens': '{0}, one token',
};

/** Texts whose number is never one, by the reason. */
const NEVER_ONE: Readonly<Record<string, readonly RegExp[]>> = {
  'Contexts, prompts and questions have many tokens.': [
    /\bcontext of \{\d\} tokens\b/i,
    /^(?:The question|The selection) .*\{\d\} tokens\b/,
    /^\{0\} (?:of \{1\} )?tokens(?:$| reused$|, \{1\} reused$)/,
  ],
  'Speeds are no counts.': [/\{0\} tokens\/s/],
  'Files and lengths have many bytes.': [/\{\d\} bytes\b/],
  'Code chooses the number.': [
    /^\{0\} minutes$/,
    /nothing for \{1\} seconds\.$/,
    /at most \{0\} files at once\.$/,
    /crashed \{0\} times in three minutes\./,
  ],
  'It is said of several only.': [
    /^In \{0\} parts$/,
    /\{0\} windows need more memory/,
    /^\{0\} in \{1\} servers$/,
    /\{1\} other languages$/,
  ],
  'Only too many are named.': [/has \{1\} dimensions$/, /are too many$/],
};

const texts = Object.keys(readBundles().english);
const counting = texts.filter((text) => COUNTED.test(text));

test('a text with a number of things has another one for a single thing', () => {
  const excused = Object.values(NEVER_ONE).flat();
  const open = counting.filter((text) => !(text in OF_ONE) && !excused.some((pattern) => pattern.test(text)));
  expect(open).toEqual([]);
});

test.each(Object.entries(OF_ONE))('%j and its singular are texts of the sources', (many, one) => {
  expect([texts.includes(many), texts.includes(one)]).toEqual([true, true]);
});
