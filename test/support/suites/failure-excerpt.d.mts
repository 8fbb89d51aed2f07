export class FailureExcerpt {
  readonly namesFailure: boolean;
  add(chunk: string): void;
  lines(): string[];
}
