import { readFileSync } from 'node:fs';
import path from 'node:path';
import { addedParameter } from '../../../server/src/next-edit/repeat/added-parameter.js';
import { type DueEdit, RepeatedEdits } from '../../../server/src/next-edit/repeat/repeated-edits.js';
import type { EditedText } from '../../../server/src/next-edit/repeat/replacement.js';
import type { SearchedText } from '../../../server/src/next-edit/repeat/searched-text.js';
import { LEAST_CHANCE } from '../../../server/src/next-edit/repeat/site-odds.js';
import { LexicalSyntax } from '../../../server/src/syntax/lexical/lexical-syntax.js';
import type { SyntaxTrees } from '../../../server/src/syntax/syntax-trees.js';
import { listSources, REPOSITORY_ROOT } from '../source-tree.js';
import { FROZEN_SOURCES, readFixture } from './fixtures.js';
import { parsedSyntax } from './parsed-syntax.js';

/** A declaration of the frozen sources, and where TypeScript says that it is used: offsets by file. */
interface DeclaredUses {
  readonly file: string;
  readonly kind: 'const' | 'let' | 'function' | 'class' | 'interface' | 'type' | 'method';
  readonly name: string;
  readonly offset: number;
  readonly uses: Readonly<Record<string, readonly number[]>>;
}

/** What was offered after one edit: right places, wrong ones, and those that were missed. */
export interface Offered {
  readonly of: DeclaredUses;
  readonly right: number;
  readonly wrong: readonly string[];
  readonly missed: number;
}

const NEW_NAME = 'renamed';
const NEW_PARAMETER = 'added';
/** Lines around a change, as the history of edits keeps them. */
const MARGIN_LINES = 2;

/**
 * Every declaration of whole files, renamed by hand, and every function, given one more parameter; what is offered then
 * in all files, beside what the compiler knows (test/fixtures/renames).
 */
export class RepeatedInFiles {
  readonly #trees: SyntaxTrees;
  readonly #texts = new Map<string, string>();
  readonly #declared: readonly DeclaredUses[];

  constructor(trees: SyntaxTrees) {
    this.#trees = trees;
    for (const file of listSources(FROZEN_SOURCES, /\.ts$/)) {
      this.#texts.set(path.relative(FROZEN_SOURCES, file), readFileSync(path.join(REPOSITORY_ROOT, file), 'utf8'));
    }
    this.#declared = JSON.parse(readFixture('renames/references.json')) as readonly DeclaredUses[];
  }

  async renames(): Promise<readonly Offered[]> {
    const offered: Offered[] = [];
    for (const of of this.#declared) {
      const { start, end } = { start: of.offset, end: of.offset + of.name.length };
      offered.push(
        await this.#offeredAfter(of, start, end, NEW_NAME, ({ newText }) => newText.endsWith(NEW_NAME), of.uses),
      );
    }
    return offered;
  }

  /** Only functions and methods that are declared once, with parameters of which none has a default. */
  async addedParameters(): Promise<readonly Offered[]> {
    const offered: Offered[] = [];
    for (const of of this.#declared) {
      const place = of.kind === 'function' || of.kind === 'method' ? this.#lastParameter(of) : null;
      if (place === null) continue;
      const { offset, count } = place;
      const newText = count === 0 ? NEW_PARAMETER : `, ${NEW_PARAMETER}: number`;
      const uses = Object.fromEntries(
        Object.entries(of.uses).map(([file, offsets]) => [
          file,
          offsets.filter((at) => this.#calls(file, at, of, count)),
        ]),
      );
      offered.push(await this.#offeredAfter(of, offset, offset, newText, ({ reason }) => reason === 'argument', uses));
    }
    return offered;
  }

  async #offeredAfter(
    of: DeclaredUses,
    start: number,
    end: number,
    newText: string,
    counts: (edit: DueEdit) => boolean,
    uses: DeclaredUses['uses'],
  ): Promise<Offered> {
    const text = this.#textOf(of.file);
    const edited = text.slice(0, start) + newText + text.slice(end);
    const edit = editOf(of.file, text, start, end, newText);
    const documents = new Map<string, SearchedText>();
    for (const file of new Set([of.file, ...Object.keys(uses)])) {
      documents.set(file, await this.#searched(file, file === of.file ? edited : this.#textOf(file)));
    }
    const repeated = new RepeatedEdits([edit], (uri) => documents.get(uri.slice(ROOT.length)) ?? null);
    let [right, missed] = [0, 0];
    const wrong: string[] = [];
    for (const file of this.#texts.keys()) {
      const document = documents.get(file) ?? unread(file, this.#textOf(file));
      const moved = (at: number) => (file === of.file && at >= end ? at + newText.length - (end - start) : at);
      const due = new Set((uses[file] ?? []).map(moved));
      const found = repeated.in(document).filter((each) => each.chance >= LEAST_CHANCE && counts(each));
      for (const each of found) {
        const at = each.reason === 'argument' ? nameOfCall(document.text, each.start, of.name, due) : each.start;
        if (due.delete(at)) right++;
        else wrong.push(`${file}:${each.start}: ${of.kind} ${of.name} of ${of.file}:${of.offset}`);
      }
      missed += due.size;
    }
    return { of, right, wrong, missed };
  }

  async #searched(file: string, text: string): Promise<SearchedText> {
    const document = { uri: ROOT + file, languageId: 'typescript', text };
    return { ...document, syntax: await parsedSyntax(this.#trees, document) };
  }

  /** Behind the last parameter of a function, as far as `addedParameter` would see one there. */
  #lastParameter(of: DeclaredUses): { readonly offset: number; readonly count: number } | null {
    const text = this.#textOf(of.file);
    const open = of.offset + of.name.length;
    const close = text[open] === '(' ? text.indexOf(')', open) : -1;
    const list = text.slice(open + 1, close);
    if (close < 0 || /[(=?]|\.\.\./.test(list)) return null;
    const offset = open + 1 + list.replace(/[\s,]+$/, '').length;
    const count =
      list.trim() === ''
        ? 0
        : list
            .replace(/<[^>]*>/g, '')
            .replace(/,\s*$/, '')
            .split(',').length;
    const added = addedParameter(
      editOf(of.file, text, offset, offset, count === 0 ? NEW_PARAMETER : `, ${NEW_PARAMETER}: number`),
      'typescript',
    );
    return added?.argumentsBefore === count ? { offset, count } : null;
  }

  /** Whether a use is a call with so many arguments, as far as brackets tell. */
  #calls(file: string, at: number, { name }: DeclaredUses, count: number): boolean {
    const text = this.#textOf(file);
    let depth = 0;
    let given = 0;
    let isEmpty = true;
    if (text[at + name.length] !== '(') return false;
    for (let place = at + name.length; place < text.length; place++) {
      const character = text[place] ?? '';
      if ('([{'.includes(character)) depth++;
      else if (')]}'.includes(character) && --depth === 0) return (isEmpty ? 0 : given + 1) === count;
      else if (depth === 1 && character === ',' && /^,\s*[^\s)]/.test(text.slice(place, place + 200))) given++;
      if (depth > 0 && place > at + name.length && character.trim() !== '') isEmpty = false;
    }
    return false;
  }

  #textOf(file: string): string {
    const text = this.#texts.get(file);
    if (text === undefined) throw new Error(`${file} is not in ${FROZEN_SOURCES}`);
    return text;
  }
}

const ROOT = 'file:///sources/';

/** A file that the compiler says has no use: whether anything is offered there is decided before its syntax is asked. */
function unread(file: string, text: string): SearchedText {
  const variable = { as: 'variable', scopes: [0], declaredIn: null, inClass: null, isImport: false } as const;
  const syntax = Object.assign(new LexicalSyntax('typescript', text), { nameAt: () => variable });
  return { uri: ROOT + file, languageId: 'typescript', text, syntax };
}

function editOf(file: string, text: string, start: number, end: number, newText: string): EditedText {
  let from = text.lastIndexOf('\n', start - 1) + 1;
  for (let left = MARGIN_LINES; left > 0 && from > 1; left--) from = text.lastIndexOf('\n', from - 2) + 1;
  let to = text.indexOf('\n', end);
  for (let left = MARGIN_LINES; left > 0 && to >= 0; left--) to = text.indexOf('\n', to + 1);
  if (to < 0) to = text.length;
  return {
    uri: ROOT + file,
    line: text.slice(0, from).split('\n').length,
    original: text.slice(from, to),
    updated: text.slice(from, start) + newText + text.slice(end, to),
  };
}

/** The call that an argument at an offset belongs to: the last one of that name whose list is still open there. */
function nameOfCall(text: string, offset: number, name: string, due: ReadonlySet<number>): number {
  const before = [...due].filter((at) => at < offset && depthBetween(text, at + name.length, offset) > 0);
  return Math.max(-1, ...before);
}

function depthBetween(text: string, from: number, to: number): number {
  let depth = 0;
  for (const character of text.slice(from, to))
    depth += '([{'.includes(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
  return depth;
}
