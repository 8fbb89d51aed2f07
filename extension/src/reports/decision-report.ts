import {
  type CompletionStatistics,
  chancePercent,
  currentTranslations,
  cutText,
  type Decision,
  formatPercent,
  type NextEditDecision,
  type ReanchorReason,
  type ShownSnippet,
  t,
} from '../../../server/protocol/index.js';
import { formatMilliseconds } from '../texts/format-quantity.js';
import { nameInUri } from '../texts/name-in-uri.js';
import { markdownCode, markdownText } from '../texts/plain-text.js';

const SHOWN_TEXT_CHARACTERS = 2_000;

const REANCHORED: Readonly<Record<ReanchorReason, () => string>> = {
  firstRequest: () => t('the first request in this file'),
  otherFile: () => t('another file'),
  cursorLeft: () => t('the cursor moved up'),
  prefixChanged: () => t('the text above changed'),
  suffixChanged: () => t('the text below changed'),
  middleFull: () => t('much text was typed since the last time'),
};

/** Why no suggestion can come by itself at the moment, as the beginning of a document; empty where one can. */
export function obstacleReport(sentence: string | null): string {
  return sentence === null ? '' : `# Inkling: ${t('no suggestions now')}\n\n${markdownText(sentence)}\n\n`;
}

/** The newest request of an editor or its user; work that nobody asked for is none. */
export function lastRequest(decisions: readonly Decision[]): Decision | null {
  return decisions.find(({ trigger }) => trigger !== 'prepared') ?? null;
}

/**
 * What a user reads who asked for a suggestion and got none, in a sentence.
 *
 * @param decisions newest first; null if no server answered
 */
export function sentenceForAsked(decisions: readonly Decision[] | null): string {
  if (decisions === null) return t('The language server is not running.');
  const asked = decisions.find(({ trigger }) => trigger === 'invoked');
  return asked?.sentence ?? t('Inkling has no suggestion for this place.');
}

/** Which other files the last prompt of a document held parts of, in the order of the prompt; empty for none. */
export function contextReport(snippets: readonly ShownSnippet[]): string {
  const paths = [...new Set(snippets.map(({ path }) => path))];
  if (paths.length === 0) return '';
  return [
    '',
    `## ${t('Other files that the model saw')}`,
    '',
    ...paths.map((path) => `- ${markdownText(path)}`),
    '',
  ].join('\n');
}

/**
 * The last decisions as a Markdown document, newest first: why there was a suggestion, or why there was none. Names and
 * texts of files are escaped: they make no link, picture or HTML.
 */
export function decisionReport(decisions: readonly Decision[]): string {
  const [last, ...earlier] = decisions.filter(({ trigger }) => trigger !== 'prepared');
  if (last === undefined)
    return `# Inkling\n\n${t('No suggestion was requested yet. Type in a file, or run "Trigger Inline Suggestion".')}\n`;
  const lines = [`# Inkling: ${t('the last suggestion')}`, '', markdownText(last.sentence), '', ...details(last), ''];
  if (last.text !== '') lines.push(markdownCode(cutText(last.text, SHOWN_TEXT_CHARACTERS)), '');
  if (earlier.length > 0) {
    const columns = [t('when'), t('where'), t('what'), t('after')].join(' | ');
    lines.push(`## ${t('Earlier requests')}`, '', `| ${columns} |`, '| --- | --- | --- | --- |');
    for (const decision of earlier) {
      const { at, sentence, latencyMs } = decision;
      lines.push(
        `| ${clock(at)} | ${markdownText(place(decision))} | ${markdownText(sentence)} | ${formatMilliseconds(latencyMs)} |`,
      );
    }
    lines.push('');
  }
  return lines.join('\n');
}

/** Why there was a next edit, or none, as the end of the same document; newest first. */
export function nextEditReport(decisions: readonly NextEditDecision[]): string {
  if (decisions.length === 0) return '';
  const columns = [t('when'), t('where'), t('what')].join(' | ');
  const rows = decisions.map(({ at, uri, line, sentence }) => {
    const where = markdownText(place({ uri, line, character: 0 }));
    return `| ${clock(at)} | ${where} | ${markdownText(sentence)} |`;
  });
  return ['', `## ${t('Next edits')}`, '', `| ${columns} |`, '| --- | --- | --- |', ...rows, ''].join('\n');
}

/** Counts and latencies as a Markdown document. */
export function statisticsReport(statistics: CompletionStatistics): string {
  const { since, shown, accepted, partlyAccepted, kept, discarded, latencyP50Ms, latencyP90Ms } = statistics;
  const { nextEditsShown, nextEditsApplied, nextEditsDismissed } = statistics;
  const share = (part: number, whole: number): string =>
    whole === 0 ? '' : ` (${formatPercent(percentOf(part, whole))})`;
  const day = new Date(since).toLocaleDateString(currentTranslations().language);
  const latency = (value: number | null): string => (value === null ? t('none yet') : formatMilliseconds(value));
  return [
    `# Inkling: ${t('statistics')}`,
    '',
    t('Since {0}. Statistics stay on this machine.', day),
    '',
    '| | |',
    '| --- | --- |',
    `| ${t('Suggestions shown')} | ${shown} |`,
    `| ${t('Accepted in full')} | ${accepted}${share(accepted, shown)} |`,
    `| ${t('Accepted in part')} | ${partlyAccepted}${share(partlyAccepted, shown)} |`,
    `| ${t('Accepted and kept for 30 s')} | ${kept}${share(kept, kept + discarded)} |`,
    `| ${t('Median latency of the latest suggestions')} | ${latency(latencyP50Ms)} |`,
    `| ${t('90th percentile latency of the latest suggestions')} | ${latency(latencyP90Ms)} |`,
    `| ${t('Next edits shown')} | ${nextEditsShown} |`,
    `| ${t('Next edits made')} | ${nextEditsApplied}${share(nextEditsApplied, nextEditsShown)} |`,
    `| ${t('Next edits dismissed')} | ${nextEditsDismissed}${share(nextEditsDismissed, nextEditsShown)} |`,
    '',
  ].join('\n');
}

/** Rounded, but 0 only for none and 100 only for all. */
function percentOf(part: number, whole: number): number {
  if (part <= 0 || part >= whole) return (100 * part) / whole;
  return Math.min(99, Math.max(1, (100 * part) / whole));
}

function details(decision: Decision): string[] {
  const { at, trigger, source, latencyMs, debounceMs, chance, reanchored, engine } = decision;
  const rows: [string, string][] = [
    [t('When'), clock(at)],
    [t('Where'), place(decision)],
    [t('Requested by'), trigger === 'invoked' ? t('you') : t('the editor')],
    [t('Latency'), formatMilliseconds(latencyMs)],
  ];
  if (debounceMs > 0) rows.push([t('Waited for another key'), formatMilliseconds(debounceMs)]);
  if (source === 'reused') rows.push([t('Source'), t('an earlier suggestion')]);
  if (source === 'joined') rows.push([t('Source'), t('a request already in progress')]);
  if (chance !== null) rows.push([t('Chance to be right'), formatPercent(chancePercent(chance))]);
  if (engine !== null) {
    const { promptTokens, reusedTokens, evaluatedTokens, generatedTokens, queuedMs, prefillMs, decodeMs } = engine;
    if (promptTokens !== null && reusedTokens !== null) {
      const evaluated = evaluatedTokens ?? promptTokens - reusedTokens;
      rows.push([t('Prompt'), t('{0} tokens, {1} reused', promptTokens, reusedTokens)]);
      rows.push([t('Tokens'), t('{0} evaluated, {1} generated', evaluated, generatedTokens)]);
    }
    const [prefill, decode] = [formatMilliseconds(prefillMs), formatMilliseconds(decodeMs)];
    const time =
      queuedMs === null
        ? t('{0} prefill, {1} decode', prefill, decode)
        : t('{0} queued, {1} prefill, {2} decode', formatMilliseconds(queuedMs), prefill, decode);
    rows.push([t('Engine time'), time]);
  }
  if (reanchored !== null) rows.push([t('Prompt rebuilt'), REANCHORED[reanchored]()]);
  return ['| | |', '| --- | --- |', ...rows.map(([label, value]) => `| ${label} | ${markdownText(value)} |`)];
}

/** In plain text. */
function place({ uri, line, character }: Pick<Decision, 'uri' | 'line' | 'character'>): string {
  return `${nameInUri(uri)}:${line + 1}:${character + 1}`;
}

function clock(at: number): string {
  return new Date(at).toLocaleTimeString(currentTranslations().language);
}
