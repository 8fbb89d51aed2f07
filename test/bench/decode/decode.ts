import {
  BALLAST_QUANTIZATIONS,
  type BallastQuantization,
  ballastModel,
  STARTER_FEED_FORWARD_LENGTH,
} from '../../support/models/ballast.js';
import { type Benchmark, type BenchmarkFields, type BenchmarkOptions, prefixed } from '../measure/benchmark.js';
import { BUSY_LENGTHS, LONG_LENGTHS, measurePlainDecode, USUAL_LENGTHS } from './plain-decode.js';
import { measureSpeculation } from './speculation.js';

const PROMPTS = 8;
/** A ballast model takes ten times as long, most of it for prompts. */
const BALLAST_PROMPTS = 5;
const MOST_BALLAST_RUNS = 2;

async function run(options: BenchmarkOptions): Promise<BenchmarkFields> {
  const wants = (part: string): boolean => options.part === null || options.part === part;
  const ballast = BALLAST_QUANTIZATIONS.filter((each) => wants('ballast') || options.part === ballastPart(each));
  return {
    ...(wants('plain') ? await measurePlainDecode(options, USUAL_LENGTHS) : {}),
    ...(wants('long') ? prefixed('long', await measurePlainDecode(options, LONG_LENGTHS)) : {}),
    ...(wants('busy') ? prefixed('busy', await measurePlainDecode(options, BUSY_LENGTHS, true)) : {}),
    ...(wants('speculation') ? await measureOnModel(options) : {}),
    ...(ballast.length > 0 ? await measureOnBallast(options, ballast) : {}),
    peer: 'llama-server, built from the same source without our changes to it',
  };
}

function measureOnModel(options: BenchmarkOptions): Promise<BenchmarkFields> {
  return measureSpeculation({ ...options, prompts: PROMPTS, modes: ['plain', 'control', 'auto', 'mtp', 'lookup'] });
}

/** The part that measures one quantization. */
function ballastPart(quantization: BallastQuantization): string {
  return `ballast-${quantization.toLowerCase()}`;
}

/** Every field of each quantization, and the worst figure of all for the fields with a target. */
async function measureOnBallast(
  options: BenchmarkOptions,
  quantizations: readonly BallastQuantization[],
): Promise<BenchmarkFields> {
  const all: BenchmarkFields[] = [];
  const fields: Record<string, BenchmarkFields[string]> = {};
  for (const quantization of quantizations) {
    const each = await measureSpeculation({
      ...options,
      model: await ballastModel(quantization),
      reference: await ballastModel(quantization, STARTER_FEED_FORWARD_LENGTH),
      runs: Math.min(options.runs, MOST_BALLAST_RUNS),
      prompts: BALLAST_PROMPTS,
      modes: ['plain', 'auto'],
    });
    all.push(each);
    for (const [name, value] of Object.entries(each)) fields[`ballast_${quantization.toLowerCase()}_${name}`] = value;
  }
  const numbers = (name: string): readonly number[] => all.map((each) => Number(each[name]));
  return {
    ballast_auto_over_plain: Math.min(...numbers('auto_over_plain')),
    ballast_auto_over_peer_plain: Math.min(...numbers('auto_over_peer_plain')),
    ballast_peer_mtp_over_plain: Math.max(...numbers('peer_mtp_over_plain')),
    ballast_auto_over_peer_mtp: Math.min(...numbers('auto_over_peer_mtp')),
    ballast_repeating_lookup_over_plain: Math.min(...numbers('repeating_lookup_over_plain')),
    ballast_identical: all.every(({ identical }) => identical === true),
    ...fields,
  };
}

export const decode: Benchmark = {
  name: 'decode',
  summary: 'plain and speculative greedy decoding against llama-server of the same source (tokens per second, medians)',
  onDevices: true,
  defaultRuns: 9,
  parts: ['plain', 'long', 'busy', 'speculation', 'ballast', ...BALLAST_QUANTIZATIONS.map(ballastPart)],
  run,
};
