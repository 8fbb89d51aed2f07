import path from 'node:path/posix';
import type { Declaration } from './declaration.js';
import { type DeclarationStyle, scanDeclarations } from './declaration-scan.js';
import { foldersUpTo } from './folders-above.js';
import { closesList, linesOf, statementsOf } from './import-statements.js';
import type { LanguageSupport } from './language-support.js';

/** First parts of the standard library's packages that have several. */
const STANDARD = new Set(
  (
    'archive compress container crypto database debug encoding go hash html image index internal io log math mime net os ' +
    'path regexp runtime sync testing text time unicode'
  ).split(' '),
);

const GROUP = /^(const|var|type)\s*\(\s*$/;
/** Indented once. */
const ENTRY = /^(?:\t| {4})([A-Za-z_]\w*)((?:\s*,\s*\w+)*).*$/;
const LONGEST_ENTRY = 240;
/** In lines. */
const LONGEST_GROUP = 30;
const MOST_GROUPED = 1_000;

/** The most parts of an import's path that may be folders. Each is looked for in many. */
const MOST_PARTS = 10;

const STYLE: DeclarationStyle = {
  rules: [
    { pattern: /^func\s+(?:\([^)]*\)\s*)?(?<name>\w+)/, shape: 'signature' },
    { pattern: /^type\s+(?<name>\w+)/, shape: 'whole' },
    { pattern: /^(?:var|const)\s+(?<name>\w+)/, shape: 'signature' },
  ],
  bodyOpen: '{',
  signatureEnd: '',
  comment: '//',
  noise: /^(?:\/\/|[)\]}])/,
};

export const GO: LanguageSupport = {
  family: 'go',
  languageIds: ['go'],
  extensions: ['.go'],
  folderIsScope: true,
  packages: 'go',

  *parseImports(text) {
    for (const statement of statementsOf(linesOf(text), /^import\b/, closesList)) {
      for (const [, specifier = ''] of statement.matchAll(/"([^"\n]+)"/g)) yield { specifier, names: null };
    }
  },

  /**
   * Where no go.mod leads to it: the longest end of the path that is a folder counts. Below the workspace's folder one
   * part is too little, since packages of others are named like that.
   */
  importTargets({ specifier }, fromPath, root) {
    const [first = '', ...parts] = specifier.split('/');
    if (STANDARD.has(first)) return [];
    const folders = foldersUpTo(root, path.dirname(fromPath));
    const longest = parts.slice(-MOST_PARTS);
    return longest.flatMap((_, index) => {
      const end = longest.slice(index);
      return (end.length > 1 ? folders : [root]).map((folder) => `${path.join(folder, ...end)}/`);
    });
  },

  declarations: (lines) =>
    [...scanDeclarations(lines, STYLE), ...groupedDeclarations(lines)].sort((left, right) => left.line - right.line),
};

/** Those in round brackets, as of an enumeration. */
function groupedDeclarations(lines: readonly string[]): Declaration[] {
  const declarations: Declaration[] = [];
  for (let start = 0; start < lines.length && declarations.length < MOST_GROUPED; start++) {
    const keyword = GROUP.exec(lines[start] ?? '')?.[1];
    if (keyword === undefined) continue;
    let end = start + 1;
    while (end < lines.length && /^(?:\s|$)/.test(lines[end] ?? '')) end++;
    const group = lines.slice(start, end + 1);
    const depends = keyword === 'type' || group.some((line) => /\biota\b/.test(line));
    const isShown = depends && group.length <= LONGEST_GROUP;
    const whole = isShown ? group.map((line) => `${line}\n`).join('') : '';
    for (let line = start + 1; line < end; line++) {
      const entry = ENTRY.exec((lines[line] ?? '').slice(0, LONGEST_ENTRY));
      if (entry === null) continue;
      const [text = '', first = '', others = ''] = entry;
      const shown = isShown ? whole : `${keyword} ${withoutOpener(text.trim())}\n`;
      for (const name of [first, ...others.split(/[,\s]+/).filter(Boolean)]) {
        declarations.push({ name, line: isShown ? start : line, text: shown });
      }
    }
    start = end;
  }
  return declarations.slice(0, MOST_GROUPED);
}

/** A value that goes on is not shown. */
function withoutOpener(text: string): string {
  return /[({]$/.test(text) ? text.slice(0, -1).trimEnd() : text;
}
