import type { CancellationToken } from 'vscode-languageserver';

/** Inside the server, cancellation is an AbortSignal; LSP's tokens end here. */
export async function withAbortSignal<T>(
  token: CancellationToken,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const registration = token.onCancellationRequested(() => controller.abort());
  try {
    return await run(controller.signal);
  } finally {
    registration.dispose();
  }
}
