/**
 * Does something for each of a list, so many at a time, and gives what came of it in the order of the list. After a failure
 * nothing new is begun; what has begun is waited for, then the first failure is thrown.
 */
export async function eachOf<T, R>(
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
