import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LearnedConfidence } from '../../../../../server/src/completion/confidence/learned-confidence.js';
import type { LearnedModels } from '../../../../../server/src/completion/confidence/learned-odds.js';
import { AcceptanceTracker, type AcceptedWhole } from '../../../../../server/src/completion/feedback/acceptance.js';
import { Statistics } from '../../../../../server/src/completion/feedback/statistics.js';
import type { CompletionOutcome } from '../../../../../server/src/completion/request/completion-outcome.js';
import { LatencyStats } from '../../../../../server/src/completion/trigger/latency-stats.js';
import { JsonFile } from '../../../../../server/src/util/files/json-file.js';
import { SILENT } from '../../scripted-engine.js';
import { requestAt, URI } from '../completion-fixture.js';

const MODEL = 'A model';

let folder: string;
let statistics: Statistics;
let confidenceFile: JsonFile;
let confidence: LearnedConfidence;
let tracker: AcceptanceTracker;
let text: string | null;
let typed: string;
let behind: string;

beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'inkling-acceptance-'));
  statistics = new Statistics(new JsonFile(null, SILENT), new LatencyStats());
  confidenceFile = new JsonFile(join(folder, 'confidence.json'), SILENT);
  confidence = new LearnedConfidence(confidenceFile);
  text = '';
  typed = '';
  behind = '\n}\n';
  tracker = new AcceptanceTracker(statistics, confidence, () => text);
});

afterEach(() => {
  tracker.dispose();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function suggestionOf(id: number, suggested: string, chance: number | null = 0.5) {
  return { id, text: suggested, start: 7, end: 7, chance, model: MODEL, leftOut: 0 };
}

function show(id: number, suggested: string, chance: number | null = 0.5, uri = URI): void {
  const suggestion = suggestionOf(id, suggested, chance);
  const outcome: CompletionOutcome = { kind: 'suggestions', suggestions: [suggestion], partial: false };
  tracker.shown(requestAt('return ║', { uri }), outcome);
}

/** How many outcomes were learned, and how many of them were right. */
function learned(): readonly number[] {
  confidenceFile.flush();
  const file = join(folder, 'confidence.json');
  if (!existsSync(file)) return [0, 0];
  const { models } = JSON.parse(readFileSync(file, 'utf8')) as LearnedModels;
  expect(models.map(({ name }) => name)).toEqual([MODEL]);
  return models.flatMap(({ learned: { known, right } }) => [known, right]);
}

/** Types at the cursor of `show`, key by key. */
function type(keys: string): void {
  for (const key of keys) {
    const offset = 7 + typed.length;
    typed += key;
    text = `return ${typed}${behind}`;
    tracker.edited(URI, [{ offset, removed: '', inserted: key }]);
  }
}

describe('counts', () => {
  it('a suggestion once, however often it is shown while the user types along it', () => {
    show(1, 'left;');
    show(1, 'eft;');
    show(2, 'other;');
    expect(statistics.summary()).toMatchObject({ shown: 2, accepted: 0 });
  });

  it('an accepted one, and says once where the document continues', () => {
    const places: AcceptedWhole[] = [];
    tracker.onDidAccept((place) => places.push(place));
    show(1, 'left;');
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    tracker.accepted({ kind: 'all', suggestionId: 99 });
    expect(statistics.summary()).toMatchObject({ accepted: 1 });
    expect(places).toEqual([{ uri: URI, offset: 12 }]);
  });

  it('one that the document shows to be accepted, whether the client reports it too or not', () => {
    const places: AcceptedWhole[] = [];
    tracker.onDidAccept((place) => places.push(place));
    show(1, 'left;');
    text = 'return l';
    tracker.edited(URI, [{ offset: 7, removed: '', inserted: 'l' }]);
    expect(statistics.summary()).toMatchObject({ accepted: 0 });
    text = 'return left;';
    tracker.edited('file:///b.ts', [{ offset: 7, removed: '', inserted: 'left;' }]);
    expect(statistics.summary()).toMatchObject({ accepted: 0 });
    tracker.edited(URI, [{ offset: 7, removed: '', inserted: 'left;' }]);
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    expect(statistics.summary()).toMatchObject({ accepted: 1 });
    expect(places).toEqual([{ uri: URI, offset: 12 }]);
  });

  it('no suggestion of a document that was closed and opened again, and learns nothing of it', () => {
    show(1, 'left;');
    show(2, 'left;', 0.5, 'file:///b.ts');
    tracker.closed(URI);
    type('other');
    expect(learned()).toEqual([0, 0]);
    text = 'return left;';
    tracker.edited(URI, [{ offset: 7, removed: '', inserted: 'left;' }]);
    expect(statistics.summary()).toMatchObject({ accepted: 0 });
    tracker.edited('file:///b.ts', [{ offset: 7, removed: '', inserted: 'left;' }]);
    expect(statistics.summary()).toMatchObject({ accepted: 1 });
    expect(learned()).toEqual([1, 1]);
    // The editor's command may come last.
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    expect(statistics.summary()).toMatchObject({ accepted: 2 });
  });

  it('no suggestion of a closed document', () => {
    show(1, 'left;');
    text = null;
    tracker.edited(URI, [{ offset: 7, removed: '', inserted: 'left;' }]);
    expect(statistics.summary()).toMatchObject({ accepted: 0 });
  });

  it('a partly accepted one, once', () => {
    show(1, 'left + right;');
    tracker.accepted({ kind: 'part', uri: URI, text: 'left' });
    tracker.accepted({ kind: 'part', uri: URI, text: ' +' });
    tracker.accepted({ kind: 'part', uri: 'file:///b.ts', text: 'x' });
    expect(statistics.summary()).toMatchObject({ partlyAccepted: 1, accepted: 0 });
  });

  it('one that was accepted in part and then whole as whole, also if the file with the part is lost', () => {
    const path = join(folder, 'statistics.json');
    const file = new JsonFile(path, SILENT);
    statistics = new Statistics(file, new LatencyStats());
    tracker = new AcceptanceTracker(statistics, confidence, () => text);
    const countIn = () => JSON.parse(readFileSync(path, 'utf8')) as unknown;
    show(1, 'left + right;');
    tracker.accepted({ kind: 'part', uri: URI, text: 'left' });
    file.flush();
    expect(countIn()).toMatchObject({ shown: 1, partlyAccepted: 1, accepted: 0 });
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    expect(statistics.summary()).toMatchObject({ shown: 1, partlyAccepted: 0, accepted: 1 });
    file.flush();
    expect(countIn()).toMatchObject({ shown: 1, partlyAccepted: 0, accepted: 1 });
    show(2, 'left + right;');
    tracker.accepted({ kind: 'part', uri: URI, text: 'left' });
    file.flush();
    writeFileSync(path, JSON.stringify({ since: 1 }));
    tracker.accepted({ kind: 'all', suggestionId: 2 });
    file.flush();
    expect(countIn()).toMatchObject({ partlyAccepted: 0, accepted: 1 });
    expect(new Statistics(new JsonFile(path, SILENT), new LatencyStats()).summary().partlyAccepted).toBe(0);
  });

  it('the suggestions for one request once, since the user sees one of them at a time', () => {
    const [first, ...others] = [1, 2, 3].map((id) => suggestionOf(id, `left${id} + right;`, null));
    if (first === undefined) throw new Error('There is no suggestion');
    const request = requestAt('return ║', { trigger: 'invoked' });
    tracker.shown(request, { kind: 'suggestions', suggestions: [first, ...others], partial: false });
    expect(statistics.summary()).toMatchObject({ shown: 1 });
    tracker.accepted({ kind: 'part', uri: URI, text: 'left1' });
    // The editor asks for the rest.
    show(1, ' + right;');
    tracker.accepted({ kind: 'part', uri: URI, text: ' +' });
    expect(statistics.summary()).toMatchObject({ shown: 1, partlyAccepted: 1, accepted: 0 });
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    expect(statistics.summary()).toMatchObject({ shown: 1, partlyAccepted: 0, accepted: 1 });
  });

  it.each([
    ['kept, though it was indented again', '  if (a) {\n      left();\n  }\n', { kept: 1, discarded: 0 }],
    ['discarded', 'return right;\n', { kept: 0, discarded: 1 }],
  ])('after half a minute one that was %s', (_name, after, counts) => {
    show(1, 'if (a) {\n  left();\n}');
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    text = after;
    vi.advanceTimersByTime(29_000);
    expect(statistics.summary()).toMatchObject({ kept: 0, discarded: 0 });
    vi.advanceTimersByTime(2_000);
    expect(statistics.summary()).toMatchObject(counts);
  });

  it('nothing of a document closed meanwhile', () => {
    show(1, 'left;');
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    text = null;
    vi.advanceTimersByTime(60_000);
    expect(statistics.summary()).toMatchObject({ kept: 0, discarded: 0 });
  });
});

describe('the confidence learns', () => {
  it('that an accepted suggestion was right, once', () => {
    show(1, 'left;');
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    text = 'return left;\n}\n';
    tracker.edited(URI, [{ offset: 7, removed: '', inserted: 'left;' }]);
    expect(learned()).toEqual([1, 1]);
  });

  it.each([
    ['typed', 'left;', 'left;', 1],
    ['typed to its last word and on', 'left', 'left;', 1],
    ['contradicted', 'left;', 'right', 0],
    ['contradicted at its end', 'left;', 'left + 1', 0],
    ['half a word of what was typed', 'left', 'leftover', 0],
  ])('from one that was %s, however fast', (_how, suggested, keys, right) => {
    show(1, suggested);
    type(keys.slice(0, 2));
    show(2, 'nobody knows', null);
    type(keys.slice(2));
    expect(learned()).toEqual([1, right]);
  });

  it.each([
    ['was typed in part', 'left;', 'lef'],
    ['ends with the word that is being typed', 'left', 'left'],
    ['was mistyped by a key', 'left;', 'lr'],
  ])('nothing yet of one that %s', (_how, suggested, keys) => {
    show(1, suggested);
    type(keys);
    expect(learned()).toEqual([0, 0]);
  });

  it('that one was right though a wrong key was typed and taken back', () => {
    show(1, 'left;');
    type('lr');
    typed = 'l';
    text = 'return l\n}\n';
    tracker.edited(URI, [{ offset: 8, removed: 'r', inserted: '' }]);
    type('eft;');
    expect(learned()).toEqual([1, 1]);
  });

  it('from a text behind a bracket that the editor closes', () => {
    show(1, '(left, right);');
    typed = '(';
    behind = ')\n}\n';
    text = 'return ()\n}\n';
    tracker.edited(URI, [{ offset: 7, removed: '', inserted: '()' }]);
    type('left, ri');
    expect(learned()).toEqual([0, 0]);
  });

  it('from lines that the editor indents in its own way', () => {
    show(1, 'left +\n  right;');
    type('left +');
    text = 'return left +\n\t\t\n}\n';
    tracker.edited(URI, [{ offset: 13, removed: '', inserted: '\n\t\t' }]);
    typed = 'left +\n\t\t';
    type('right;');
    expect(learned()).toEqual([1, 1]);
  });

  it('where lines are added above it meanwhile', () => {
    show(1, 'left;');
    type('le');
    text = 'import a;\nreturn le\n}\n';
    tracker.edited(URI, [{ offset: 0, removed: '', inserted: 'import a;\n' }]);
    text = 'import a;\nreturn left;\n}\n';
    tracker.edited(URI, [{ offset: 19, removed: '', inserted: 'ft;' }]);
    expect(learned()).toEqual([1, 1]);
  });

  it.each([
    ['nobody typed along', () => undefined],
    ['the text around was replaced', () => tracker.edited(URI, [{ offset: 0, removed: 'return l', inserted: 'x' }])],
    [
      'another document was typed in',
      () => tracker.edited('file:///b.ts', [{ offset: 7, removed: '', inserted: 'x' }]),
    ],
  ])('nothing of one where %s', (_where, happens) => {
    show(1, 'left;');
    happens();
    show(2, 'right;', null);
    text = 'something else';
    tracker.edited(URI, [{ offset: 14, removed: '', inserted: 'else' }]);
    expect(learned()).toEqual([0, 0]);
  });

  it('nothing of one whose chance is not known', () => {
    show(1, 'left;', null);
    type('left; ');
    expect(learned()).toEqual([0, 0]);
  });

  it('nothing of one behind an item of the suggest widget that the user may not take', () => {
    const suggestion = { id: 1, text: 'left;', start: 7, end: 8, chance: 0.5, model: MODEL, leftOut: 0 };
    const request = requestAt('return l║', { selected: { start: 7, text: 'left' } });
    tracker.shown(request, { kind: 'suggestions', suggestions: [suggestion], partial: false });
    typed = 'l';
    type('ast;');
    expect(learned()).toEqual([0, 0]);
  });

  it('of each suggestion once, by the chance with which it was shown first', () => {
    show(1, 'left;', 0.5);
    type('le');
    show(1, 'ft;', 0.9);
    type('ft;');
    show(1, 'left;', 0.9);
    type('xyz');
    expect(learned()).toEqual([1, 1]);
  });
});

describe('the stored statistics', () => {
  const path = () => join(folder, 'statistics.json');
  const open = () => new JsonFile(path(), SILENT);

  it('survive the process', () => {
    const file = open();
    const first = new Statistics(file, new LatencyStats());
    first.count('shown');
    first.count('accepted');
    file.flush();
    expect(new Statistics(open(), new LatencyStats()).summary()).toMatchObject({ shown: 1, accepted: 1 });
  });

  it('have what another window has counted since, together with what is not stored yet', () => {
    const [here, there] = [open(), open()];
    const [own, others] = [here, there].map((file) => new Statistics(file, new LatencyStats()));
    own?.count('shown');
    others?.count('shown');
    others?.count('accepted');
    there.flush();
    expect(own?.summary()).toMatchObject({ shown: 2, accepted: 1 });
    here.flush();
    expect(own?.summary()).toMatchObject({ shown: 2, accepted: 1 });
  });

  it.each([
    '',
    '{',
    '[]',
    '{"shown": -1, "accepted": "many"}',
    'null',
    '{"since": 1e300, "shown": 3}',
    '{"since": 8.7e15, "shown": 3}',
    '{"since": 1, "shown": 1e308}',
  ])('start again if the file contains %j', (content) => {
    writeFileSync(path(), content);
    expect(new Statistics(open(), new LatencyStats()).summary()).toMatchObject({ shown: 0, accepted: 0 });
  });
});
