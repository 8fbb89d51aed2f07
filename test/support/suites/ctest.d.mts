export class CtestProgress {
  readonly counts: { passed: number; failed: number; skipped: number };
  add(chunk: string): void;
}
