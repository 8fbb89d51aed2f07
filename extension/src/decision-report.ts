import { type CompletionStatistics, currentTranslations, type Decision, t } from '../../server/protocol/index.js';
import { formatMilliseconds } from './format-quantity.js';

const SHOWN_TEXT_CHARACTERS = 2_000;

/** The last decisions as a Markdown document, newest first: why there was a suggestion, or why there was none. */
export function decisionReport(decisions: readonly Decision[]): string {
  const [last, ...earlier] = decisions.filter(({ trigger }) => trigger !== 'prepared');
  if (last === undefined) return `# Inkling\n\n${t('No suggestion has been asked for yet.')}\n`;
  const lines = [`# Inkling: ${t('the last suggestion')}`, '', last.sentence, '', ...details(last), ''];
  if (last.text !== '') lines.push('```', last.text.slice(0, SHOWN_TEXT_CHARACTERS), '```', '');
  if (earlier.length > 0) {
    const columns = [t('when'), t('where'), t('what'), t('after')].join(' | ');
    lines.push(`## ${t('Before that')}`, '', `| ${columns} |`, '| --- | --- | --- | --- |');
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
  const day = new Date(since).toLocaleDateString(currentTranslations().language);
  const latency = (value: number | null): string => (value === null ? t('none yet') : formatMilliseconds(value));
  return [
    `# Inkling: ${t('statistics')}`,
    '',
    t('Since {0}. They are kept on this machine and sent nowhere.', day),
    '',
    '| | |',
    '| --- | --- |',
    `| ${t('Suggestions shown')} | ${shown} |`,
    `| ${t('accepted as a whole')} | ${accepted}${share(accepted, shown)} |`,
    `| ${t('accepted in part')} | ${partlyAccepted}${share(partlyAccepted, shown)} |`,
    `| ${t('accepted and still there after 30 s')} | ${kept}${share(kept, kept + discarded)} |`,
    `| ${t('Latency since the start, median')} | ${latency(latencyP50Ms)} |`,
    `| ${t('Latency since the start, nine of ten below')} | ${latency(latencyP90Ms)} |`,
    '',
  ].join('\n');
}

function details(decision: Decision): string[] {
  const { at, trigger, source, latencyMs, debounceMs, averageLogProbability, reanchored, engine } = decision;
  const rows: [string, string][] = [
    [t('When'), clock(at)],
    [t('Where'), place(decision)],
    [t('Asked by'), trigger === 'invoked' ? t('you') : t('the editor')],
    [t('Answered after'), formatMilliseconds(latencyMs)],
  ];
  if (debounceMs > 0) rows.push([t('of which waiting for another key'), formatMilliseconds(debounceMs)]);
  if (source === 'reused') rows.push([t('Source'), t('an earlier suggestion')]);
  if (source === 'joined') rows.push([t('Source'), t('a request that was already under way')]);
  if (averageLogProbability !== null) {
    rows.push([t('Confidence'), t('{0} % a token', Math.round(100 * Math.exp(averageLogProbability)))]);
  }
  if (engine !== null) {
    const { promptTokens, reusedTokens, evaluatedTokens, generatedTokens, queuedMs, prefillMs, decodeMs } = engine;
    if (promptTokens !== null && reusedTokens !== null) {
      const evaluated = evaluatedTokens ?? promptTokens - reusedTokens;
      rows.push([t('Prompt'), t('{0} tokens, {1} of them already evaluated', promptTokens, reusedTokens)]);
      rows.push([t('Work'), t('{0} tokens evaluated, {1} generated', evaluated, generatedTokens)]);
    }
    const times = [queuedMs ?? 0, prefillMs, decodeMs].map(formatMilliseconds);
    rows.push([t('Time in the engine'), t('{0} waiting, {1} prompt, {2} text', ...times)]);
  }
  if (reanchored !== null) rows.push([t('Prompt made anew'), reanchored]);
  return ['| | |', '| --- | --- |', ...rows.map(([label, value]) => `| ${label} | ${cell(value)} |`)];
}

function place({ uri, line, character }: Decision): string {
  const name = decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
  return cell(`${name}:${line + 1}:${character + 1}`);
}

function clock(at: number): string {
  return new Date(at).toLocaleTimeString(currentTranslations().language);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}
