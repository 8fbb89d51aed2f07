import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import {
  contextReport,
  decisionReport,
  lastRequest,
  nextEditReport,
  obstacleReport,
  sentenceForAsked,
  statisticsReport,
} from '../../../../extension/src/reports/decision-report.js';
import type { Decision } from '../../../../server/protocol/index.js';

const SHOWN: Decision = {
  at: Date.UTC(2026, 0, 1, 12),
  uri: 'file:///work/src/a%20b.ts',
  line: 4,
  character: 2,
  trigger: 'automatic',
  outcome: 'shown',
  reason: null,
  sentence: 'Suggested 5 characters.',
  source: 'engine',
  text: 'left;',
  latencyMs: 21,
  debounceMs: 0,
  chance: 0.61,
  reanchored: null,
  engine: {
    promptTokens: 800,
    reusedTokens: 796,
    evaluatedTokens: 12,
    generatedTokens: 8,
    queuedMs: 0,
    prefillMs: 4,
    decodeMs: 15,
  },
};
const NOTHING: Decision = {
  ...SHOWN,
  outcome: 'nothing',
  reason: 'afterUndo',
  sentence: 'After undo | and redo\nInkling waits.',
  source: null,
  text: '',
  chance: null,
  engine: null,
};

it('explains the last decision, with its cost', () => {
  const report = decisionReport([SHOWN]);
  expect(report).toContain('Suggested 5 characters\\.');
  expect(report).toContain('a b\\.ts\\:5\\:3');
  expect(report).toContain('800 tokens, 796 reused');
  expect(report).toContain('61%');
  expect(report).toContain('```\nleft;\n```');
});

it('says of a remote server only what it tells', () => {
  expect(decisionReport([SHOWN])).toContain('| 0 ms queued, 4 ms prefill, 15 ms decode |');
  const engine = SHOWN.engine && { ...SHOWN.engine, promptTokens: null, reusedTokens: null, queuedMs: null };
  const report = decisionReport([{ ...SHOWN, engine }]);
  expect(report).toContain('| Engine time | 4 ms prefill, 15 ms decode |');
  expect(report).not.toMatch(/reused|evaluated|queued/);
});

it('names the other files in the prompt once, in its order, without markup', () => {
  const [declaration, edit] = ['importedDeclaration', 'recentEdit'];
  const report = contextReport([
    { path: 'src/b.ts', text: 'b();', why: declaration },
    { path: 'src/[a](x).ts', text: 'a();', why: edit },
    { path: 'src/b.ts', text: 'c();', why: edit },
  ]);
  const html = new MarkdownIt().render(report);
  expect([...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, item]) => item)).toEqual(['src/b.ts', 'src/[a](x).ts']);
  expect(contextReport([])).toBe('');
});

it('is about the last request that somebody made', () => {
  expect(lastRequest([{ ...SHOWN, trigger: 'prepared' }, NOTHING, SHOWN])).toBe(NOTHING);
  expect(lastRequest([])).toBeNull();
});

it('says in words why the prompt was rebuilt, and never that a suggestion is certain', () => {
  const report = decisionReport([{ ...SHOWN, chance: 0.998, reanchored: 'firstRequest' }]);
  expect(report).toContain('| Prompt rebuilt | the first request in this file |');
  expect(report).toContain('| Chance to be right | 99% |');
});

it('lists the ones before it, on one line each, and leaves out prepared requests', () => {
  const report = decisionReport([{ ...SHOWN, trigger: 'prepared', sentence: 'Prepared.' }, NOTHING, SHOWN]);
  expect(report).toContain('After undo \\| and redo Inkling waits\\.');
  expect(report).not.toContain('Prepared.');
  expect(report).toContain(String.raw`| a b\.ts\:5\:3 | Suggested 5 characters\. |`);
  expect(decisionReport([SHOWN, NOTHING])).toContain('After undo \\| and redo Inkling waits\\.');
});

it('reports that there was no request', () => {
  expect(decisionReport([])).toContain('No suggestion was requested yet');
});

it('begins with what keeps suggestions away now', () => {
  const report = obstacleReport('Snoozed until 10:40.') + decisionReport([SHOWN]);
  expect(report).toMatch(
    /^# Inkling: no suggestions now\n\nSnoozed until 10\\:40\\\.\n\n# Inkling: the last suggestion\n/,
  );
  expect(obstacleReport(null)).toBe('');
});

const COUNTS = {
  shown: 50,
  accepted: 10,
  partlyAccepted: 5,
  kept: 9,
  discarded: 1,
  nextEditsShown: 8,
  nextEditsApplied: 6,
  nextEditsDismissed: 1,
};

it('shows counts with their shares', () => {
  const report = statisticsReport({
    since: 0,
    ...COUNTS,
    latencyP50Ms: 20,
    latencyP90Ms: null,
  });
  expect(report).toContain('| Accepted in full | 10 (20%) |');
  expect(report).toContain('| Accepted and kept for 30 s | 9 (90%) |');
  expect(report).toContain('| Median latency of the latest suggestions | 20 ms |');
  expect(report).toContain(
    '90th percentile latency of the latest suggestions | none yet |\n| Next edits shown | 8 |\n| Next edits made | 6 (75%) |\n| Next edits dismissed | 1 (13%) |',
  );
});

it('calls neither some of many none, nor nearly all of them all', () => {
  const counts = { ...COUNTS, accepted: 1, partlyAccepted: 0, shown: 500, kept: 299, discarded: 1 };
  const report = statisticsReport({ since: 0, ...counts, latencyP50Ms: null, latencyP90Ms: null });
  expect(report).toContain('| Accepted in full | 1 (1%) |');
  expect(report).toContain('| Accepted in part | 0 (0%) |');
  expect(report).toContain('| Accepted and kept for 30 s | 299 (99%) |');
});

it('says of each next edit why it was announced, or why there was none', () => {
  const decision = { at: SHOWN.at, uri: SHOWN.uri, line: 4, outcome: 'nothing', reason: 'unsure' } as const;
  const report = nextEditReport([{ ...decision, sentence: 'Low confidence.' }]);
  expect(report).toContain('## Next edits');
  expect(report).toContain(String.raw`| a b\.ts\:5\:1 | Low confidence\. |`);
  expect(nextEditReport([])).toBe('');
});

describe('a hostile name or text', () => {
  const markdown = new MarkdownIt({ html: true, linkify: true });
  const NAME = '[a](command:evil)<img src=x>![b](http://c) | `d` www.e.com.ts';
  const uri = `file:///work/${encodeURIComponent(NAME)}`;
  const hostile: Decision = { ...SHOWN, uri, sentence: `The file ${NAME}\n# is open.` };

  it('makes no link, picture, HTML, heading or cell of its own', () => {
    const report =
      decisionReport([hostile, hostile]) + nextEditReport([{ ...hostile, outcome: 'nothing', reason: 'unsure' }]);
    const html = markdown.render(report);
    expect(html).not.toMatch(/<(?:a|img|h3)\b|href|src="/);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    for (const row of html.match(/<tr>.*?<\/tr>/gs) ?? []) expect(row.match(/<t[dh]/g)?.length).toBeLessThanOrEqual(4);
    // The reader sees the name itself.
    expect(html).toContain('[a](command:evil)&lt;img src=x&gt;');
  });

  it('ends no code block', () => {
    const text = 'x\n```\n[a](command:evil)\n~~~\n````\n<img src=x>';
    const html = markdown.render(decisionReport([{ ...SHOWN, text }]));
    expect(html).not.toMatch(/<(?:a|img)\b/);
    expect(html.match(/<pre>/g)).toHaveLength(1);
  });

  it('is cut between characters', () => {
    for (const odd of ['', 'x']) {
      expect(decisionReport([{ ...SHOWN, text: odd + '\u{1F600}'.repeat(2_000) }]).isWellFormed()).toBe(true);
    }
  });

  it('is shown as it is where its escapes are malformed', () => {
    expect(decisionReport([{ ...SHOWN, uri: 'file:///work/%E0%A4%A.ts' }])).toContain('%E0%A4%A\\.ts');
  });
});

it.each<[string, readonly Decision[] | null, string]>([
  [
    'is why the last request of the user came to nothing',
    [SHOWN, { ...NOTHING, trigger: 'invoked' }],
    NOTHING.sentence,
  ],
  ['says that there is no server', null, 'The language server is not running.'],
  ['blames no server that answered', [], 'Inkling has no suggestion for this place.'],
  ['blames no request of the editor', [NOTHING], 'Inkling has no suggestion for this place.'],
])('what a user reads who asked for a suggestion and got none %s', (_name, decisions, sentence) => {
  expect(sentenceForAsked(decisions)).toBe(sentence);
});
