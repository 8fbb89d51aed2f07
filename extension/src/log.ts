import { type LogOutputChannel, window } from 'vscode';

/**
 * The one output channel, `Inkling`: the extension's lines, the server's, and the LSP trace when the user sets the
 * channel's level to Trace.
 */
export function createLog(): LogOutputChannel {
  return window.createOutputChannel('Inkling', { log: true });
}

/** Anything that was thrown, as text for the log. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
