/** Where the server's own words go; the composition root decides (the editor's log, through LSP). */
export interface Log {
  /** Per-keystroke detail. */
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
