import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LearnedConfidence } from '../../../../../server/src/completion/confidence/learned-confidence.js';
import type { LearnedOdds } from '../../../../../server/src/completion/confidence/learned-odds.js';
import { AcceptanceTracker, type AcceptedWhole } from '../../../../../server/src/completion/feedback/acceptance.js';
import { Statistics } from '../../../../../server/src/completion/feedback/statistics.js';
import type { CompletionOutcome } from '../../../../../server/src/completion/request/completion-outcome.js';
import { LatencyStats } from '../../../../../server/src/completion/trigger/latency-stats.js';
import { JsonFile } from '../../../../../server/src/util/json-file.js';
import { SILENT } from '../../scripted-engine.js';
import { requestAt, URI } from '../completion-fixture.js';

let folder: string;
let statistics: Statistics;
let confidenceFile: JsonFile;
let confidence: LearnedConfidence;
let tracker: AcceptanceTracker;
let text: string | null;

beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'inkling-acceptance-'));
  statistics = new Statistics(new JsonFile(null, SILENT), new LatencyStats());
  confidenceFile = new JsonFile(join(folder, 'confidence.json'), SILENT);
  confidence = new LearnedConfidence(confidenceFile);
  text = '';
  tracker = new AcceptanceTracker(statistics, confidence, () => text);
});

afterEach(() => {
  tracker.dispose();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function show(id: number, suggested: string, chance: number | null = 0.5, uri = URI): void {
  const suggestion = { id, text: suggested, start: 7, end: 7, chance, leftOut: 0 };
  const outcome: CompletionOutcome = { kind: 'suggestions', suggestions: [suggestion], partial: false };
  tracker.shown(requestAt('return ║', { uri }), outcome);
}

/** How many outcomes were learned, and how many of them were right. */
function learned(): readonly number[] {
  confidenceFile.flush();
  try {
    const { known, right } = JSON.parse(readFileSync(join(folder, 'confidence.json'), 'utf8')) as LearnedOdds;
    return [known, right];
  } catch {
    return [0, 0];
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

describe('the confidence', () => {
  it('learns from an accepted suggestion', () => {
    show(1, 'left;');
    tracker.accepted({ kind: 'all', suggestionId: 1 });
    show(2, 'right;');
    expect(learned()).toEqual([1, 1]);
  });

  it('learns from one that was read and rejected', () => {
    show(1, 'left;');
    vi.advanceTimersByTime(1_000);
    show(2, 'right;');
    expect(learned()).toEqual([1, 0]);
  });

  it('learns nothing from one that disappeared too fast to read, or that is unknown', () => {
    show(1, 'left;');
    vi.advanceTimersByTime(100);
    show(2, 'right;', null);
    vi.advanceTimersByTime(1_000);
    show(3, 'other;');
    expect(learned()).toEqual([0, 0]);
  });

  it('counts a suggestion that was typed as right', () => {
    show(1, 'left;');
    text = 'return left; // and more';
    show(2, 'right;');
    expect(learned()).toEqual([1, 1]);
  });

  it('learns nothing from another document', () => {
    show(1, 'left;');
    vi.advanceTimersByTime(1_000);
    show(2, 'right;', 0.5, 'file:///b.ts');
    expect(learned()).toEqual([0, 0]);
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

  it.each(['', '{', '[]', '{"shown": -1, "accepted": "many"}', 'null'])(
    'start again if the file contains %j',
    (content) => {
      writeFileSync(path(), content);
      expect(new Statistics(open(), new LatencyStats()).summary()).toMatchObject({ shown: 0, accepted: 0 });
    },
  );
});
