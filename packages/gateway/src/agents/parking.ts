import type { Event, OpenAgent } from '@plugboard/host';

/** Ends a process that has had nothing to do for a while. */
export interface Parking {
  /** Nobody uses it from now on. */
  start(): void;
  /** Somebody uses it again, or it has gone. */
  clear(): void;
  /** Looks at what the agent says of its tasks. */
  saw(event: Event): void;
}

/** What has ended need not be waited for. */
const OVER = new Set(['completed', 'failed', 'cancelled', 'done', 'fired']);

/**
 * An agent that has tasks or alarms under way has something to do, also when nobody talks to it: it is asked again after
 * the same time. Its memory is its own; the next message starts it anew.
 */
export function createParking(agent: OpenAgent, afterMs: number, park: () => void): Parking {
  let timer: NodeJS.Timeout | undefined;
  let tasks = 0;
  const saw = (event: Event): void => {
    if (event.type === 'tasks') tasks = event.tasks.filter(({ status }) => !OVER.has(status)).length;
  };
  agent.resident?.onIdleEvent(saw);
  const start = (): void => {
    clearTimeout(timer);
    if (afterMs > 0)
      timer = setTimeout(() => (tasks > 0 || agent.resident?.busy ? start() : park()), afterMs);
  };
  return { start, clear: () => clearTimeout(timer), saw };
}
