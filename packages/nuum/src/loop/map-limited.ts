/**
 * Calls `work` for each item, at most `atOnce` at a time, and returns the results in the order of `list`. After a
 * failure no further call begins; the first failure is thrown when all running calls have ended.
 */
export async function mapLimited<T, R>(
  list: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const done: R[] = [];
  const failures: unknown[] = [];
  const left = list.entries();
  const worker = async (): Promise<void> => {
    for (const [index, one] of left) {
      try {
        done[index] = await work(one);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return done;
}
