export type BenchCommand =
  | { readonly kind: 'list' }
  | {
      /** Everything that the report holds. */
      readonly kind: 'report';
      /** Titles of steps; empty for all. */
      readonly steps: readonly string[];
      readonly updateBaseline: boolean;
    }
  | {
      readonly kind: 'run';
      readonly name: string;
      readonly json: boolean;
      /** Null for the benchmark's default. */
      readonly runs: number | null;
      readonly threads: number | null;
      /** A GGUF file instead of the starter model. */
      readonly model: string | null;
      /** One part of a benchmark with several. */
      readonly part: string | null;
      /** The setting of that name; null for its default. */
      readonly eagerness: string | null;
      /** A GPU, as Vulkan names it; null for the processor. */
      readonly device: string | null;
    }
  | { readonly kind: 'mistake'; readonly message: string };

const NUMBER_OPTIONS = { '--runs': 'runs', '--threads': 'threads' } as const;

const TEXT_OPTIONS = {
  '--model': 'model',
  '--part': 'part',
  '--eagerness': 'eagerness',
  '--device': 'device',
} as const;

function isTextOption(argument: string): argument is keyof typeof TEXT_OPTIONS {
  return Object.hasOwn(TEXT_OPTIONS, argument);
}

/** `[NAME]` and options, as usage in main.ts lists them. Without a name it is the report. */
export function parseBenchArguments(args: readonly string[], names: readonly string[]): BenchCommand {
  if (args.length === 1 && (args[0] === '--help' || args[0] === '--list')) return { kind: 'list' };
  const report = parseReportArguments(args);
  if (report !== null) return report;
  let name: string | null = null;
  let json = false;
  const numbers: { runs: number | null; threads: number | null } = { runs: null, threads: null };
  const texts: Record<(typeof TEXT_OPTIONS)[keyof typeof TEXT_OPTIONS], string | null> = {
    model: null,
    part: null,
    eagerness: null,
    device: null,
  };
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--json') {
      json = true;
    } else if (argument === '--runs' || argument === '--threads') {
      const number = Number(rest.shift());
      if (!Number.isInteger(number) || number < 1) return mistake(`${argument} takes a whole number of at least 1`);
      numbers[NUMBER_OPTIONS[argument]] = number;
    } else if (isTextOption(argument)) {
      const text = rest.shift();
      if (text === undefined || text.startsWith('-')) return mistake(`${argument} takes a value`);
      texts[TEXT_OPTIONS[argument]] = text;
    } else if (argument.startsWith('-')) {
      return mistake(`there is no option ${argument}`);
    } else if (name !== null) {
      return mistake('one benchmark at a time');
    } else {
      name = argument;
    }
  }
  if (name === null) return mistake('say which benchmark');
  if (!names.includes(name)) return mistake(`there is no benchmark ${name}`);
  return { kind: 'run', name, json, ...numbers, ...texts };
}

/** Null where the arguments name a benchmark. */
function parseReportArguments(args: readonly string[]): BenchCommand | null {
  const steps: string[] = [];
  let updateBaseline = false;
  for (let index = 0; index < args.length; index += 1) {
    if (args[index] === '--update-baseline') {
      updateBaseline = true;
    } else if (args[index] === '--step') {
      index += 1;
      const title = args[index];
      if (title === undefined || title.startsWith('-')) return mistake('--step takes a title');
      steps.push(title);
    } else {
      return null;
    }
  }
  return { kind: 'report', steps, updateBaseline };
}

function mistake(message: string): BenchCommand {
  return { kind: 'mistake', message };
}
