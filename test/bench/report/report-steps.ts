import type { BenchmarkFields } from '../measure/benchmark.js';

/** A figure without a unit, which a slow machine changes little. */
export interface Ratio {
  readonly name: string;
  readonly meaning: string;
  readonly of: (fields: BenchmarkFields) => number;
  readonly better: 'higher' | 'lower';
  /** Part of the baseline by which noise alone makes it worse. */
  readonly slack: number;
  /** By how much more, for a difference that may be zero. */
  readonly noise?: number;
}

export interface ReportStep {
  /** Names it in the baseline. */
  readonly title: string;
  /** Of the bench command. */
  readonly args: readonly string[];
  readonly ratios: readonly Ratio[];
  /** Fields that documents quote. The baseline keeps them with the ratios, but they are not compared. */
  readonly figures?: readonly string[];
}

/** A number of the result; `ours.p50_ms` is one of a group. NaN where the result has none. */
export function field(fields: BenchmarkFields, path: string): number {
  let value: unknown = fields;
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'number' ? value : Number.NaN;
}

function of(path: string, meaning: string, better: Ratio['better'], slack: number, over: string | null = null): Ratio {
  return {
    name: over === null ? path : `${path} over ${over}`,
    meaning,
    of: (fields) => field(fields, path) / (over === null ? 1 : field(fields, over)),
    better,
    slack,
  };
}

/** All edits of the reuse benchmark together; the peer has no figure for edits that it refuses. */
function reusedTokens(fields: BenchmarkFields): number {
  const edits = Object.keys(fields).flatMap((name) => /^(.+)_peer_tokens$/.exec(name)?.[1] ?? []);
  const total = (side: string): number => edits.reduce((sum, edit) => sum + field(fields, `${edit}_${side}_tokens`), 0);
  return total('ours') / total('peer');
}

/** A hundredth, of which the allocator's noise is most; a prefill graph that is kept makes it 1 or more. */
const GROWTH_SLACK = 9;

/**
 * What `npm run bench` runs. test/bench/README.md says what is left out. Slacks are what runs on one machine differ by
 * (*The report and its baseline* there), with a margin.
 */
export const REPORT_STEPS: readonly ReportStep[] = [
  { title: 'startup', args: ['startup', '--runs', '5'], ratios: [] },
  {
    title: 'decode plain',
    args: ['decode', '--part', 'plain', '--runs', '3'],
    ratios: [
      of('decode_ratio', "plain decoding over llama-server's", 'higher', 0.1),
      of('prefill_ratio', "prefill over llama-server's", 'higher', 0.15),
    ],
  },
  {
    title: 'decode long',
    args: ['decode', '--part', 'long', '--runs', '3'],
    ratios: [
      of('long_decode_ratio', 'the same behind 7,500 tokens', 'higher', 0.15),
      of('long_prefill_ratio', "prefill of 7,500 tokens over llama-server's", 'higher', 0.15),
    ],
  },
  {
    title: 'decode speculation',
    args: ['decode', '--part', 'speculation', '--runs', '1'],
    ratios: [
      of('computed_auto_over_plain', 'decoding with drafts over plain, calculated', 'higher', 0.1),
      of('auto_over_peer_mtp', "decoding with drafts over llama-server's with its drafts", 'higher', 0.2),
    ],
  },
  {
    title: 'decode ballast',
    args: ['decode', '--part', 'ballast', '--runs', '1'],
    ratios: [
      of(
        'ballast_q4_k_auto_over_peer_plain',
        "1.05 billion parameters in Q4_K with drafts over llama-server's plain",
        'higher',
        0.15,
      ),
      of('ballast_q4_k_auto_over_peer_mtp', "the same over llama-server's with its drafts", 'higher', 0.2),
      of('ballast_q8_0_auto_over_peer_plain', "the same in Q8_0 over llama-server's plain", 'higher', 0.15),
    ],
  },
  {
    title: 'keystrokes',
    args: ['keystrokes'],
    ratios: [
      of('ratio_p50', "llama-server's time from keystroke to answer over ours", 'higher', 0.2),
      of('ours.reuse_hit_rate', 'answers that took no evaluation', 'higher', 0.1),
      of('ours.accepted_characters', 'characters accepted from ghost text', 'higher', 0.05),
    ],
    figures: ['ours.p50_ms'],
  },
  {
    title: 'gate',
    args: ['quality', '--part', 'gate-check'],
    ratios: [
      of('gate_auc', 'area under the curve of the chance that a suggestion is right', 'higher', 0.01),
      of('balanced_slow.suggestion_precision', 'distinct suggestions that were right', 'higher', 0.05),
      of('balanced_slow.shown_share', 'keys with ghost text', 'lower', 0.05),
      of(
        'balanced_slow.accepted_characters',
        'accepted characters over those of the former threshold',
        'higher',
        0.02,
        'former.accepted_characters',
      ),
    ],
  },
  {
    title: 'cancel-storm',
    args: ['cancel-storm', '--runs', '3'],
    ratios: [of('storm_ratio', 'an answer after 300 cancelled keys over an undisturbed one', 'lower', 0.35)],
  },
  {
    title: 'idle',
    args: ['idle', '--runs', '3'],
    ratios: [
      of(
        'ours_ms',
        "processor time in the second after an answer, over llama-server's",
        'lower',
        // It is a hundredth; a few milliseconds double it.
        3,
        'peer_ms',
      ),
    ],
  },
  {
    title: 'reuse',
    args: ['reuse', '--part', 'model', '--runs', '1'],
    ratios: [
      {
        name: 'tokens',
        meaning: "tokens evaluated after an edit, over llama-server's with the same prompts",
        of: reusedTokens,
        better: 'lower',
        slack: 0.05,
      },
    ],
  },
  {
    title: 'reuse sessions',
    args: ['reuse', '--part', 'sessions'],
    ratios: [
      of('sessions_evaluated_over_fresh', "tokens evaluated over a fresh engine's, with equal answers", 'lower', 0.02),
    ],
    figures: ['sessions_requests', 'sessions_evaluated_tokens', 'sessions_fresh_tokens'],
  },
  {
    title: 'quality',
    args: ['quality', '--runs', '40'],
    ratios: [
      of('anchored.exact_first_line', 'suggestions whose first line is right', 'higher', 0.1),
      of('anchored_over_rebuilt', 'the same over prompts that are built for each key', 'higher', 0.1),
      of('exact_kept_by_filters', 'right suggestions that the filters keep', 'higher', 0.05),
    ],
  },
  {
    title: 'next-edit latency',
    args: ['next-edit', '--part', 'latency', '--runs', '12'],
    ratios: [
      of('decoded_over_region', "decoded tokens over those of the region's text", 'lower', 0.3),
      of('ms_edit_p50', "time until an edit over llama-server's", 'lower', 0.25, 'peer_ms_edit_p50'),
      of('ms_no_edit_p50', "time until nothing is due over llama-server's", 'lower', 0.25, 'peer_ms_no_edit_p50'),
    ],
  },
  {
    title: 'shared-engine',
    args: ['shared-engine', '--part', 'turns', '--runs', '1', '--threads', '1', '--eagerness', 'eager'],
    ratios: [
      of('rss_shared_over_apart', 'memory of two windows with one model, shared over apart', 'lower', 0.1),
      of('turns_shared_reused', 'tokens that both windows reuse when they type in turns', 'higher', 0.1),
    ],
  },
  {
    title: 'memory accounting',
    args: ['memory', '--part', 'accounting'],
    ratios: [of('accounted_ratio', "accounted memory over the process's growth", 'higher', 0.1)],
  },
  {
    title: 'memory growth',
    args: ['memory', '--part', 'growth'],
    ratios: [
      of('prefill_growth_over_kv', "growth by a long prompt over the KV cache's own size", 'lower', GROWTH_SLACK),
    ],
  },
  {
    title: 'memory checkpoints',
    args: ['memory', '--part', 'checkpoints'],
    // The difference of two prefills, of which each varies by more than the checkpoints take.
    ratios: [
      { ...of('checkpoint_over_prefill', 'time for checkpoints over that of the prefill', 'lower', 0), noise: 0.04 },
    ],
  },
  {
    title: 'memory unload',
    args: ['memory', '--part', 'unload'],
    ratios: [of('unloaded_over_first', 'memory after the fifth unload over the first', 'lower', 0.05)],
  },
  {
    title: 'memory drift',
    args: ['memory', '--part', 'drift', '--runs', '100'],
    ratios: [of('drifted_over_start', 'memory after 100 requests over before', 'lower', 0.05)],
  },
];
