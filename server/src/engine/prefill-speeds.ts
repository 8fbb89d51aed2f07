import { isNumber, isRecord, isText } from '../../protocol/index.js';
import type { JsonFile } from '../util/json-file.js';
import type { GenerationResult } from './generation.js';
import type { ModelFacts } from './model-facts.js';

/** Shorter prefills say more about their overhead than about the speed. */
const LEAST_TOKENS = 192;
/** The median of this many prefills: one that another program held up does not count. */
const KEPT = 9;
/** Fewer say nothing: the first one after a load reads the weights from the disk. */
const LEAST_PREFILLS = 3;

const MOST_RECORDS = 50;
const LONGEST_NAME = 4_096;
const FASTEST = 1e7;

/** How fast a device evaluates the prompts of a model. */
interface SpeedRecord {
  readonly path: string;
  readonly device: string;
  readonly tokensPerSecond: number;
}

/**
 * Tokens that are evaluated in a second, measured in real prefills and remembered from one session to the next. Each model
 * on each device has its own: after a fallback from a GPU to the processor nothing that the GPU did counts.
 */
export class PrefillSpeeds {
  readonly #file: Pick<JsonFile, 'read' | 'changeSoon'>;
  readonly #processor: string;
  /** The latest measurements, by model and device. */
  readonly #measured = new Map<string, readonly number[]>();
  /** The one measured last comes last. */
  #records: readonly SpeedRecord[];

  /** @param processor names this machine's: a home folder may be shared by several machines */
  constructor(file: Pick<JsonFile, 'read' | 'changeSoon'>, processor: string) {
    this.#file = file;
    this.#processor = processor;
    this.#records = parseRecords(file.read());
  }

  /** Of the loaded model, in tokens a second; null where too little is known. */
  of(facts: ModelFacts): number | null {
    const { path, device } = this.#recordOf(facts, 0);
    const measured = this.#measured.get(keyOf(path, device)) ?? [];
    if (measured.length >= LEAST_PREFILLS) return median(measured);
    return this.#remembered(path, device)?.tokensPerSecond ?? null;
  }

  /** Of a model that is not loaded, on the device where it ran last; null where it never ran. */
  ofFile(path: string): number | null {
    const here = `${this.#processor}, `;
    return (
      this.#records.findLast((each) => each.path === path && each.device.startsWith(here))?.tokensPerSecond ?? null
    );
  }

  add(facts: ModelFacts, result: GenerationResult): void {
    const speed = speedOf(result);
    if (speed === null) return;
    const { path, device } = this.#recordOf(facts, speed);
    const key = keyOf(path, device);
    const measured = [...(this.#measured.get(key) ?? []), speed].slice(-KEPT);
    this.#measured.set(key, measured);
    if (measured.length >= LEAST_PREFILLS) this.#remember({ path, device, tokensPerSecond: median(measured) });
  }

  #recordOf(facts: ModelFacts, tokensPerSecond: number): SpeedRecord {
    const device = facts.kind === 'local' ? `${this.#processor}, ${facts.backend}` : `at ${facts.host}`;
    return { path: facts.path, device, tokensPerSecond };
  }

  #remembered(path: string, device: string): SpeedRecord | undefined {
    return this.#records.find((each) => each.path === path && each.device === device);
  }

  #remember(record: SpeedRecord): void {
    this.#records = withRecord(this.#records, record);
    this.#file.changeSoon({
      // Other windows measure as well. A file that is gone or damaged gets what this window knows.
      merge: (stored) =>
        [...this.#measured.keys()].reduce<readonly SpeedRecord[]>((all, key) => {
          const own = this.#records.find(({ path, device }) => keyOf(path, device) === key);
          return own === undefined ? all : withRecord(all, own);
        }, parseRecords(stored)),
      written: () => undefined,
    });
  }
}

/** Null for a generation that says too little: a short prefill, or a server that does not say. */
function speedOf({ stopReason, metrics }: GenerationResult): number | null {
  const { promptTokens, reusedTokens, generatedTokens, prefillMs, local } = metrics;
  // A cancelled prefill ends somewhere. Only what it really evaluated counts, and only if nothing was decoded.
  const whole = promptTokens === null || reusedTokens === null ? null : promptTokens - reusedTokens;
  const part = local === null || generatedTokens > 0 ? null : local.evaluatedTokens;
  const tokens = stopReason === 'aborted' ? part : whole;
  if (tokens === null || tokens < LEAST_TOKENS || prefillMs <= 0) return null;
  const speed = (tokens * 1000) / prefillMs;
  return speed <= FASTEST ? speed : null;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function keyOf(path: string, device: string): string {
  return `${device}\n${path}`;
}

function withRecord(records: readonly SpeedRecord[], record: SpeedRecord): readonly SpeedRecord[] {
  const others = records.filter(({ path, device }) => path !== record.path || device !== record.device);
  return [...others, record].slice(-MOST_RECORDS);
}

function parseRecords(stored: unknown): readonly SpeedRecord[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(-MOST_RECORDS).flatMap((value: unknown): SpeedRecord[] => {
    if (!isRecord(value)) return [];
    const { path, device, tokensPerSecond } = value;
    const named = isText(path) && isText(device) && path.length <= LONGEST_NAME && device.length <= LONGEST_NAME;
    return named && isNumber(tokensPerSecond, 1, FASTEST) ? [{ path, device, tokensPerSecond }] : [];
  });
}
