export class FailureExcerpt {
  add(chunk: string): void;
  lines(): string[];
}
