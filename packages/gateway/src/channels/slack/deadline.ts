import type { Clock } from '../../clock.ts';

/** Slack waits 3 s for an acknowledgement; the way there takes a part of it. */
const ACKNOWLEDGE_MS = 2_500;

/** The result of `work`, or undefined after `ACKNOWLEDGE_MS`. Rejects when `work` does. */
export async function resultInTime<T>(clock: Clock, work: Promise<T>): Promise<T | undefined> {
  let cancel = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(ACKNOWLEDGE_MS, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
