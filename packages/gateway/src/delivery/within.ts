import { setTimeout as sleep } from 'node:timers/promises';
import { SendError } from '../channels/channel.ts';

/** Waits for a channel, but not for ever: what it does after that is lost. The signal tells it so. */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const call = new AbortController();
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new SendError('unknown', `The channel did not answer within ${ms / 1000} s.`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([work(call.signal), late]);
  } finally {
    timer.abort();
    call.abort();
  }
}

/** Waits until it has settled, however, or until the time is over. */
export async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal, ref: false }).catch(() => {});
  await Promise.race([work.catch(() => {}), late]);
  timer.abort();
}
