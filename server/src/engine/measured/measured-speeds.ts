import { isNumber, isRecord, isText } from '../../../protocol/index.js';
import type { JsonFile } from '../../util/files/json-file.js';
import type { GenerationResult } from '../port/generation.js';
import type { ModelFacts } from '../port/model-facts.js';

/** What the latest generations say of a model's speed. */
interface SpeedRule {
  /** How many of them count. */
  readonly kept: number;
  /** Fewer say nothing. */
  readonly least: number;
  readonly speedOf: (tokensPerSecond: readonly number[]) => number;
}

/**
 * The speed that users get. One generation that another program held up does not count, nor does the first one after a
 * load, which reads the weights from the disk.
 */
const TYPICAL: SpeedRule = { kept: 9, least: 3, speedOf: median };

/**
 * The speed that the machine is capable of. Other programs slow down a small model more than a large one, so what they
 * held up would predict too little of other models.
 */
export const UNDISTURBED: SpeedRule = { kept: 100, least: 9, speedOf: (speeds) => Math.max(...speeds) };

const MOST_RECORDS = 50;
const LONGEST_NAME = 4_096;
const SLOWEST = 0.01;
const FASTEST = 1e7;

/** How fast a device is with a model. */
interface SpeedRecord {
  readonly path: string;
  readonly device: string;
  readonly tokensPerSecond: number;
}

/** In tokens a second; null for a generation that says too little. */
export type MeasureSpeed = (result: GenerationResult) => number | null;

/**
 * Tokens a second, measured in real generations and remembered from one session to the next: of prompts, or of answers.
 * Each model on each device has its own: after a fallback from a GPU to the processor nothing that the GPU did counts.
 */
export class MeasuredSpeeds {
  readonly #file: Pick<JsonFile, 'read' | 'changeSoon'>;
  readonly #processor: string;
  readonly #measure: MeasureSpeed;
  readonly #rule: SpeedRule;
  /** The latest measurements, by model and device, the oldest first. */
  readonly #measured = new Map<string, readonly number[]>();
  /** The one measured last comes last. */
  #records: readonly SpeedRecord[];
  /** The keys of the records that this window has measured. */
  readonly #own = new Set<string>();

  /** @param processor names this machine's: a home folder may be shared by several machines */
  constructor(file: Pick<JsonFile, 'read' | 'changeSoon'>, processor: string, measure: MeasureSpeed, rule = TYPICAL) {
    this.#file = file;
    this.#processor = processor;
    this.#measure = measure;
    this.#rule = rule;
    this.#records = parseRecords(file.read());
  }

  /** The speed of the loaded model, in tokens a second; null where too little is known. */
  of(facts: ModelFacts): number | null {
    const { path, device } = this.#recordOf(facts, 0);
    const measured = this.#measured.get(keyOf(path, device)) ?? [];
    if (measured.length >= this.#rule.least) return this.#rule.speedOf(measured);
    return this.#remembered(path, device)?.tokensPerSecond ?? null;
  }

  /** The speed of a model that is not loaded, on the device where it ran last; null where it never ran. */
  ofFile(path: string): number | null {
    const here = `${this.#processor}, `;
    return (
      this.#records.findLast((each) => each.path === path && each.device.startsWith(here))?.tokensPerSecond ?? null
    );
  }

  /**
   * Of all models that ran on one device of this machine, by their files.
   *
   * @param backend such as `CPU`; null for the device where a model ran last
   */
  byFile(backend: string | null): ReadonlyMap<string, number> {
    const here = `${this.#processor}, `;
    const last = this.#records.findLast(({ device }) => device.startsWith(here))?.device ?? null;
    const wanted = backend === null ? last : `${here}${backend}`;
    const records = this.#records.filter(({ device }) => device === wanted);
    return new Map(records.map(({ path, tokensPerSecond }) => [path, tokensPerSecond]));
  }

  add(facts: ModelFacts, result: GenerationResult): void {
    const speed = this.#measure(result);
    if (speed === null) return;
    const { kept, least, speedOf } = this.#rule;
    const { path, device } = this.#recordOf(facts, speed);
    const key = keyOf(path, device);
    const remembered = this.#remembered(path, device);
    // The speed that an earlier session measured is the oldest one that counts.
    const earlier = this.#measured.get(key) ?? (remembered === undefined ? [] : [remembered.tokensPerSecond]);
    const measured = [...earlier, speed].slice(-kept);
    this.#measured.set(key, measured);
    if (measured.length >= least) this.#remember({ path, device, tokensPerSecond: speedOf(measured) });
  }

  /**
   * From one generation, where nothing is known yet.
   *
   * @param isHeldUp by other programs: it counts in this session only, and the next one measures again
   */
  learn(facts: ModelFacts, result: GenerationResult, isHeldUp = false): void {
    const speed = this.#measure(result);
    if (speed === null || this.of(facts) !== null) return;
    const record = this.#recordOf(facts, speed);
    if (isHeldUp) this.#records = withRecord(this.#records, record);
    else this.#remember(record);
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
    this.#own.add(keyOf(record.path, record.device));
    this.#file.changeSoon({
      // Other windows measure as well. A file that is gone or damaged gets what this window knows.
      merge: (stored) =>
        [...this.#own].reduce<readonly SpeedRecord[]>((all, key) => {
          const own = this.#records.find(({ path, device }) => keyOf(path, device) === key);
          return own === undefined ? all : withRecord(all, own);
        }, parseRecords(stored)),
      written: () => undefined,
    });
  }
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
    return named && isNumber(tokensPerSecond, SLOWEST, FASTEST) ? [{ path, device, tokensPerSecond }] : [];
  });
}
