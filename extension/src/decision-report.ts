import type { CompletionStatistics, Decision } from '../../server/protocol/index.js';
import { formatMilliseconds } from './format-quantity.js';

const SHOWN_TEXT_CHARACTERS = 2_000;

/** The last decisions as a Markdown document, newest first: why there was a suggestion, or why there was none. */
export function decisionReport(decisions: readonly Decision[]): string {
  const [last, ...earlier] = decisions.filter(({ trigger }) => trigger !== 'prepared');
  if (last === undefined) return '# Inkling\n\nNo suggestion has been asked for yet.\n';
  const lines = ['# Inkling: the last suggestion', '', last.sentence, '', ...details(last), ''];
  if (last.text !== '') lines.push('```', last.text.slice(0, SHOWN_TEXT_CHARACTERS), '```', '');
  if (earlier.length > 0) {
    lines.push('## Before that', '', '| when | where | what | after |', '| --- | --- | --- | --- |');
    for (const decision of earlier) {
      const { at, sentence, latencyMs } = decision;
      lines.push(`| ${clock(at)} | ${place(decision)} | ${cell(sentence)} | ${formatMilliseconds(latencyMs)} |`);
    }
    lines.push('');
  }
  return lines.join('\n');
}

/** Counts and latencies as a Markdown document. */
export function statisticsReport(statistics: CompletionStatistics): string {
  const { since, shown, accepted, partlyAccepted, kept, discarded, latencyP50Ms, latencyP90Ms } = statistics;
  const share = (part: number, whole: number): string =>
    whole === 0 ? '' : ` (${Math.round((100 * part) / whole)} %)`;
  const latency = (value: number | null): string => (value === null ? 'none yet' : formatMilliseconds(value));
  return [
    '# Inkling: statistics',
    '',
    `Since ${new Date(since).toLocaleDateString()}. They are kept on this machine and sent nowhere.`,
    '',
    '| | |',
    '| --- | --- |',
    `| Suggestions shown | ${shown} |`,
    `| accepted as a whole | ${accepted}${share(accepted, shown)} |`,
    `| accepted in part | ${partlyAccepted}${share(partlyAccepted, shown)} |`,
    `| accepted and still there after 30 s | ${kept}${share(kept, kept + discarded)} |`,
    `| Latency since the start, median | ${latency(latencyP50Ms)} |`,
    `| Latency since the start, nine of ten below | ${latency(latencyP90Ms)} |`,
    '',
  ].join('\n');
}

function details(decision: Decision): string[] {
  const { at, trigger, source, latencyMs, debounceMs, averageLogProbability, reanchored, engine } = decision;
  const rows: [string, string][] = [
    ['When', clock(at)],
    ['Where', place(decision)],
    ['Asked by', trigger === 'invoked' ? 'you' : 'the editor'],
    ['Answered after', formatMilliseconds(latencyMs)],
  ];
  if (debounceMs > 0) rows.push(['of which waiting for another key', formatMilliseconds(debounceMs)]);
  if (source === 'reused') rows.push(['Source', 'an earlier suggestion']);
  if (source === 'joined') rows.push(['Source', 'a request that was already under way']);
  if (averageLogProbability !== null) {
    rows.push(['Confidence', `${Math.round(100 * Math.exp(averageLogProbability))} % a token`]);
  }
  if (engine !== null) {
    const { promptTokens, reusedTokens, evaluatedTokens, generatedTokens, queuedMs, prefillMs, decodeMs } = engine;
    rows.push(['Prompt', `${promptTokens} tokens, ${reusedTokens} of them already evaluated`]);
    rows.push(['Work', `${evaluatedTokens} tokens evaluated, ${generatedTokens} generated`]);
    const times = [queuedMs, prefillMs, decodeMs].map(formatMilliseconds);
    rows.push(['Time in the engine', `${times[0]} waiting, ${times[1]} prompt, ${times[2]} text`]);
  }
  if (reanchored !== null) rows.push(['Prompt made anew', reanchored]);
  return ['| | |', '| --- | --- |', ...rows.map(([label, value]) => `| ${label} | ${cell(value)} |`)];
}

function place({ uri, line, character }: Decision): string {
  const name = decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
  return cell(`${name}:${line + 1}:${character + 1}`);
}

function clock(at: number): string {
  return new Date(at).toLocaleTimeString();
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}
