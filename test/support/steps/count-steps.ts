import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { countedExec } from './counting-regexp.js';

/** Work ends with this error once it has taken too many steps, so that a test of slow work is not slow itself. */
class TooManySteps extends Error {}

/**
 * Counts the steps of work instead of its time: each element that a regular expression tries, each character that a
 * string method reads, each element of a list that is copied, spread or searched, and each run of a block of our own
 * code, as V8 counts it for coverage.
 */
export class StepCounter {
  readonly #session = new Session();
  #steps = 0;

  /** Code loaded from now on is counted; what was loaded before has no counters. */
  static async start(): Promise<StepCounter> {
    const counter = new StepCounter();
    // V8 would take functions that another test file of this thread has compiled, which have no counters.
    setFlagsFromString('--no-compilation-cache');
    counter.#session.connect();
    await counter.#session.post('Profiler.enable');
    await counter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await counter.forget();
    return counter;
  }

  /** Forgets what our code has run since the last count: it would count as steps of the next work. */
  async forget(): Promise<void> {
    await this.#session.post('Profiler.takePreciseCoverage');
  }

  /**
   * V8 visits its whole heap for the answer, which takes longer than most work: count several works together.
   *
   * @param limit of steps in regular expressions and string methods
   * @throws TooManySteps
   */
  async count(work: () => unknown, limit: number): Promise<number> {
    this.#steps = 0;
    const add = (steps: number): void => {
      this.#steps += steps;
      if (this.#steps > limit) throw new TooManySteps(`More than ${limit} steps`);
    };
    // While work waits, others use lists too, and an error would be theirs.
    const note = (steps: number): void => {
      this.#steps += steps;
    };
    const restore = [
      countExpressions(add),
      ...STRING_METHODS.map((method) => countMethod(String.prototype, String, method, add)),
      ...ARRAY_METHODS.map((method) => countMethod(Array.prototype, (list: readonly unknown[]) => list, method, note)),
      countIterators(note),
    ];
    try {
      const result = work();
      if (result instanceof Promise) await result;
    } finally {
      for (const undo of restore) undo();
    }
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const ours = result.filter(({ url }) => /\/(?:server|extension)\/src\//.test(url));
    const blocks = ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    const runs = blocks.reduce((sum, { count }) => sum + count, 0);
    if (runs === 0) throw new Error('No run of our code was counted. Was it loaded before the counter was started?');
    return this.#steps + runs;
  }

  async stop(): Promise<void> {
    setFlagsFromString('--compilation-cache');
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }
}

type Undo = () => void;

/** True while the counter itself works, whose own calls do not count. */
let counting = false;

/** Runs a call of the counted work without counting what the counter calls for it. */
function uncounted<T>(work: () => T): T {
  counting = true;
  try {
    return work();
  } finally {
    counting = false;
  }
}

/** Every method of strings and expressions ends in `exec`. */
function countExpressions(add: (steps: number) => void): Undo {
  const original = RegExp.prototype.exec;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    if (counting) return original.call(this, text);
    return uncounted(() => countedExec(this, String(text), () => add(1)));
  };
  return () => {
    RegExp.prototype.exec = original;
  };
}

interface CountedMethod<T> {
  readonly name: string;
  /** Characters, or elements of a list, that the call read. */
  cost(read: T, given: readonly unknown[], result: unknown): number;
}

const whole: CountedMethod<string>['cost'] = (text) => text.length + 1;
const STRING_METHODS: readonly CountedMethod<string>[] = [
  {
    name: 'indexOf',
    cost: (text, [, from = 0], found) => read(text.length - Number(from), Number(found) - Number(from)),
  },
  { name: 'lastIndexOf', cost: searchedBackwards },
  {
    name: 'includes',
    cost: (text, [needle, from = 0]) => read(text.length, text.indexOf(String(needle), Number(from))),
  },
  { name: 'startsWith', cost: (_text, [needle]) => String(needle).length + 1 },
  { name: 'endsWith', cost: (_text, [needle]) => String(needle).length + 1 },
  { name: 'trim', cost: (text, _given, result) => text.length - String(result).length + 1 },
  { name: 'trimStart', cost: (text, _given, result) => text.length - String(result).length + 1 },
  { name: 'trimEnd', cost: (text, _given, result) => text.length - String(result).length + 1 },
  { name: 'split', cost: whole },
  { name: 'replaceAll', cost: whole },
  { name: 'toLowerCase', cost: whole },
];

/** Those that call no function of ours for each element: what they call counts by itself. */
const ARRAY_METHODS: readonly CountedMethod<readonly unknown[]>[] = [
  { name: 'indexOf', cost: (list, [, from = 0], found) => read(list.length - Number(from), Number(found)) },
  { name: 'includes', cost: (list, [needle]) => read(list.length, list.indexOf(needle)) },
  { name: 'slice', cost: (_list, _given, result) => (result as readonly unknown[]).length + 1 },
  { name: 'concat', cost: (_list, _given, result) => (result as readonly unknown[]).length + 1 },
];

/** The elements of lists that are spread, destructured or looped over. */
function countIterators(add: (steps: number) => void): Undo {
  const original = Array.prototype[Symbol.iterator];
  Array.prototype[Symbol.iterator] = function (this: unknown[]) {
    const iterator = original.call(this);
    if (counting) return iterator;
    const next = (): IteratorResult<unknown, undefined> => {
      if (!counting) uncounted(() => add(1));
      return iterator.next();
    };
    return { next, [Symbol.iterator]: () => iterator } as ArrayIterator<unknown>;
  };
  return () => {
    Array.prototype[Symbol.iterator] = original;
  };
}

function read(most: number, found: number): number {
  return 1 + Math.max(0, found < 0 ? most : found);
}

/** Engines compare the whole needle at each place, without the shortcuts that they take forwards. */
function searchedBackwards(text: string, [given, from = text.length]: readonly unknown[], found: unknown): number {
  const needle = String(given);
  let steps = 1;
  for (let at = Math.min(Number(from), text.length); at >= Math.max(0, Number(found)) && steps < MOST_COMPARED; at--) {
    let equal = 0;
    while (equal < needle.length && text[at + equal] === needle[equal]) equal++;
    steps += equal + 1;
  }
  return steps;
}

/** More than any limit. */
const MOST_COMPARED = 100_000_000;

function countMethod<T>(
  prototype: object,
  toValue: (self: T) => T,
  { name, cost }: CountedMethod<T>,
  add: (steps: number) => void,
): Undo {
  const methods = prototype as Record<string, (...given: unknown[]) => unknown>;
  const original = methods[name] as (...given: unknown[]) => unknown;
  methods[name] = function (this: T, ...given: unknown[]) {
    const result = original.apply(this, given);
    // An expression counts itself.
    if (counting || given[0] instanceof RegExp) return result;
    uncounted(() => add(cost(toValue(this), given, result)));
    return result;
  };
  return () => {
    methods[name] = original;
  };
}
