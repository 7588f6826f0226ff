import type { EventQueue } from './queue.ts';

/** Calls `cancel` when the caller gives up, for as long as the turn lasts. */
export function onAbort(signal: AbortSignal | undefined, cancel: () => void, queue: EventQueue): void {
  if (signal === undefined) return;
  signal.addEventListener('abort', cancel, { once: true });
  queue.result.promise.then(() => signal.removeEventListener('abort', cancel));
}
