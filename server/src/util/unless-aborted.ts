/** Waits for an event or the abort signal. Rejects if the event rejects. */
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

/** Waits until a chain of events no longer grows, or for the abort signal. */
export async function untilLast(current: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let seen: Promise<void> | null = null; seen !== current() && !signal.aborted; ) {
    seen = current();
    await unlessAborted(seen, signal);
  }
}
