import { type LogOutputChannel, window } from 'vscode';

/**
 * The output channel `Inkling`, with the lines of extension and server, and the LSP trace if the user sets the
 * channel's level to Trace.
 */
export function createLog(): LogOutputChannel {
  return window.createOutputChannel('Inkling', { log: true });
}

/** Anything thrown, as text for the log. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
