import { SendError } from '../channels/channel.ts';
import { type Clock, sleep } from '../clock.ts';

/** Runs `work` with a timeout. Its result is ignored after `ms`, and `signal` is aborted. */
export async function runWithin<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const call = new AbortController();
  const late = sleep(clock, ms, call.signal).then(() => {
    throw new SendError('unknown', `The channel did not answer within ${ms / 1000} s.`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([work(call.signal), late]);
  } finally {
    call.abort();
  }
}

/** Waits until `work` has settled either way, or for `ms`. */
export async function settledWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work.catch(() => {}), sleep(clock, ms, timer.signal)]);
  timer.abort();
}
