import type { Event, OpenAgent } from '@plugboard/host';
import { isUnderWay } from './under-way.ts';

/** Ends a process that has had nothing to do for a while. */
export interface Parking {
  /** Nobody uses it from now on. */
  start(): void;
  /** Whether it has nothing to do, and can be ended. */
  isIdle(): boolean;
  /** Somebody uses it again, or it has gone. */
  clear(): void;
  /** Looks at what the agent says of its tasks. */
  saw(event: Event): void;
}

/**
 * An agent that has tasks or alarms under way has something to do, also when nobody talks to it: it is asked again after
 * the same time. Its memory is its own; the next message starts it anew.
 */
export function createParking(agent: OpenAgent, afterMs: number, park: () => void): Parking {
  let timer: NodeJS.Timeout | undefined;
  let underWay = false;
  const isIdle = (): boolean => !underWay && agent.resident?.busy !== true;
  const start = (): void => {
    clearTimeout(timer);
    if (afterMs > 0) timer = setTimeout(() => (isIdle() ? park() : start()), afterMs);
  };
  return {
    start,
    isIdle,
    clear: () => clearTimeout(timer),
    saw(event) {
      // A new process says first that it is there, and then what it has to do, if it has anything.
      if (event.type === 'ready') underWay = false;
      if (event.type === 'tasks') underWay = isUnderWay(event);
    },
  };
}
