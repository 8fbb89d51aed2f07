/** Waits for an event, or for the abort of those who wait. Rejects as the event does. */
export async function unlessAborted(event: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let stop: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([event, aborted]);
  signal.removeEventListener('abort', stop);
}

/** Waits for a chain of events until nothing was added to it in the meantime, or for the abort of those who wait. */
export async function untilLast(current: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let seen: Promise<void> | null = null; seen !== current() && !signal.aborted; ) {
    seen = current();
    await unlessAborted(seen, signal);
  }
}
