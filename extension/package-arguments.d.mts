export function packageArguments(args: readonly string[]): {
  readonly target: string;
  readonly newestGlibc: string;
  readonly file: string | null;
};
