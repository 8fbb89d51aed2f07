// Collects the texts of extension and server for translators. `npm run l10n` writes l10n/bundle.l10n.json from the
// calls of `t` in the sources, removes unused texts from the translations, and lists missing ones. A layout test fails
// if the bundle is out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isMain } from '../test/support/is-main.mjs';

const root = path.resolve(import.meta.dirname, '..');
const FOLDER = 'extension/l10n';
const SOURCES = ['extension/src', 'server/protocol', 'server/src'];

/** Matches calls only: no method, property, longer name, or the function's own declaration. */
const CALL = /(?<![\w$.'"`]|function )t\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")?/g;
const COMMENT = /^\s*(\/\/|\/?\*).*$/gm;

/**
 * The texts that a source passes to `t`.
 *
 * @returns {{ texts: string[], unreadable: string[] }} `unreadable`: calls without a literal text
 */
export function textsIn(source) {
  const texts = [];
  const unreadable = [];
  const code = source.replaceAll(COMMENT, '');
  for (const match of code.matchAll(CALL)) {
    const [, literal] = match;
    if (literal === undefined) unreadable.push(code.slice(match.index, match.index + 60).split('\n')[0]);
    else texts.push(literal.slice(1, -1).replaceAll(/\\(.)/g, (_, each) => (each === 'n' ? '\n' : each)));
  }
  return { texts, unreadable };
}

/**
 * All texts in alphabetical order.
 * @throws Error for a text that is not a literal
 */
export function collectTexts() {
  const all = new Set();
  for (const folder of SOURCES) {
    for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const { texts, unreadable } = textsIn(readFileSync(path.join(root, folder, file), 'utf8'));
      if (unreadable.length > 0) throw new Error(`${folder}/${file}: not a literal: ${unreadable.join(' | ')}`);
      for (const text of texts) all.add(text);
    }
  }
  return [...all].sort();
}

/** @returns {{ english: Record<string, string>, translations: { language: string, texts: Record<string, string> }[] }} */
export function readBundles() {
  const read = (name) => JSON.parse(readFileSync(path.join(root, FOLDER, name), 'utf8'));
  const names = readdirSync(path.join(root, FOLDER)).sort();
  const translations = names.flatMap((name) => {
    const language = /^bundle\.l10n\.([\w-]+)\.json$/.exec(name)?.[1];
    return language === undefined ? [] : [{ language, texts: read(name) }];
  });
  return { english: read('bundle.l10n.json'), translations };
}

/** The parts of a text that a translation keeps, in any order: its placeholders and icons. */
export function fixedParts(text) {
  return [...text.matchAll(/\{\d+\}|\$\([\w~-]+\)/g)].map(([part]) => part).sort();
}

function writeBundle(name, entries) {
  writeFileSync(path.join(root, FOLDER, name), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

function main() {
  const texts = collectTexts();
  writeBundle(
    'bundle.l10n.json',
    texts.map((text) => [text, text]),
  );
  for (const { language, texts: translated } of readBundles().translations) {
    const known = texts.filter((text) => text in translated);
    writeBundle(
      `bundle.l10n.${language}.json`,
      known.map((text) => [text, translated[text]]),
    );
    const missing = texts.filter((text) => !(text in translated));
    console.log(`${language}: ${known.length} of ${texts.length} texts`);
    for (const text of missing) console.log(`  ${JSON.stringify(text)}`);
  }
}

if (isMain(import.meta.url)) main();
