/** Rejects with the reason of `signal` as soon as that is aborted. The result of `work` is then discarded. */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal });
    if (signal.aborted) reject(signal.reason);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}
