import { describe, expect, test } from 'vitest';
import { collectTexts, fixedParts, readBundles, textsIn } from '../../extension/l10n.mjs';
import { listSources, readSource } from '../support/source-tree.js';

describe('extension/l10n', () => {
  const { english, translations } = readBundles();

  test('bundle.l10n.json is up to date with the sources; `npm run l10n` writes it', () => {
    const said = collectTexts();
    expect(said.length).toBeGreaterThan(100);
    expect(Object.entries(english)).toEqual(said.map((text) => [text, text]));
  });

  test.each(translations)('the translation to $language contains only texts of the sources', ({ texts }) => {
    expect(Object.keys(texts).filter((text) => !(text in english))).toEqual([]);
  });

  test.each(translations)('the translation to $language keeps placeholders and icons', ({ texts }) => {
    const changed = Object.entries(texts).filter(([text, translated]) => {
      return fixedParts(text).join() !== fixedParts(translated).join() || translated.trim() === '';
    });
    expect(changed).toEqual([]);
  });
});

/** German words that have another word in all other texts. */
const GERMAN_VARIANTS: readonly (readonly [RegExp, string])[] = [
  [/\bTokens\b/, 'Token'],
  [/\bCursor/, 'Schreibmarke'],
  [/\b(?:Unterhaltung|Konversation)/, 'Gespräch'],
  [/\bChat-Bereich/, 'Chat-Ansicht'],
  [/\b(?:Computer|Maschine)/, 'Rechner'],
  [/\bDownload hat\b/, 'ist … groß'],
];

test('German texts use one word for one thing', () => {
  const bundle = readBundles().translations.find(({ language }) => language === 'de')?.texts ?? {};
  const manifest = JSON.parse(readSource('package.nls.de.json')) as Readonly<Record<string, string>>;
  const texts = [...Object.values(bundle), ...Object.values(manifest)];
  expect(texts.length).toBeGreaterThan(100);
  const found = GERMAN_VARIANTS.flatMap(([variant, word]) =>
    texts.filter((text) => variant.test(text)).map((text) => `${word}: ${text}`),
  );
  expect(found).toEqual([]);
});

/** Lines that translate a text while their module loads: in a constant of the module, outside functions. */
function textsAtLoad(source: string): readonly string[] {
  const constants = source.matchAll(/^(?:export )?const .*(?:\n(?![})\]]|\S).*)*/gm);
  return [...constants].flatMap(([statement]) => {
    const lines = statement.split('\n');
    const isCalledLater = (index: number) =>
      /=>|\breturn\b/.test(lines.slice(Math.max(0, index - 2), index + 1).join());
    return lines.filter((line, index) => /(?<![\w.])t\(/.test(line) && !isCalledLater(index));
  });
}

test('no source translates a text before the language is known', () => {
  expect(textsAtLoad("const A = t('x');\nconst B = {\n  label: t('y'),\n};")).toHaveLength(2);
  expect(textsAtLoad("const A = () => t('x');\nconst B = {\n  get label() {\n    return t('y');\n  },\n};")).toEqual(
    [],
  );
  const sources = ['extension/src', 'server'].flatMap((folder) => listSources(folder, /\.ts$/));
  expect(sources.flatMap((file) => textsAtLoad(readSource(file)))).toEqual([]);
});

test.each([
  ["t('A text')", ['A text'], 0],
  ['t("it isn\'t", name)', ["it isn't"], 0],
  [`\`\${t('Inside')} \${at('not')} \${this.t('not')}\``, ['Inside'], 0],
  ["t(\n  'On its own line',\n  value,\n)", ['On its own line'], 0],
  ['export function t(text: string): string {', [], 0],
  ["// t('in a comment')", [], 0],
  ['t(text)', [], 1],
  [`t(\`with \${value}\`)`, [], 1],
])('reads %s', (source, texts, unreadable) => {
  const read = textsIn(source);
  expect([read.texts, read.unreadable.length]).toEqual([texts, unreadable]);
});
