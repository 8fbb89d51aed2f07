export interface Ended {
  readonly exitCode: number;
  readonly lastLines: readonly string[];
  readonly failures: readonly string[];
  readonly namesFailure: boolean;
  readonly seconds: number;
}

export class SuiteProcess {
  static endAll(): void;
  readonly ended: Promise<Ended>;
  constructor(
    command: string,
    args: readonly string[],
    options: { readonly cwd: string; readonly limitMs: number; readonly isBackground?: boolean },
  );
  show(): void;
  end(): void;
}
