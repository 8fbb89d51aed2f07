export type SoakCommand =
  | {
      readonly kind: 'run';
      readonly minutes: number;
      readonly seed: number;
      readonly json: boolean;
      /** Prints missed aims without failing. */
      readonly report: boolean;
    }
  | { readonly kind: 'mistake'; readonly message: string };

/** The two windows in which latency is measured, and a warm-up, take most of a shorter run. */
const FEWEST_MINUTES = 4;
const DEFAULT_MINUTES = 20;

/** `[--minutes N] [--seed N] [--json] [--report]` */
export function parseSoakArguments(args: readonly string[]): SoakCommand {
  let [minutes, seed, json, report] = [DEFAULT_MINUTES, 2026, false, false];
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--json') {
      json = true;
    } else if (argument === '--report') {
      report = true;
    } else if (argument === '--minutes') {
      minutes = Number(rest.shift());
      if (!(minutes >= FEWEST_MINUTES)) return mistake(`--minutes takes a number of at least ${FEWEST_MINUTES}`);
    } else if (argument === '--seed') {
      seed = Number(rest.shift());
      if (!Number.isSafeInteger(seed) || seed < 0) return mistake('--seed takes a whole number');
    } else {
      return mistake(`there is no option ${argument}`);
    }
  }
  return { kind: 'run', minutes, seed, json, report };
}

function mistake(message: string): SoakCommand {
  return { kind: 'mistake', message };
}
