/** The server's log; the composition root connects it to the editor's log through LSP. */
export interface Log {
  /** Per-keystroke detail. */
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
