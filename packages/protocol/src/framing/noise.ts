import type { Event } from '../model/event.ts';
import { faultEvent } from '../model/fault.ts';

/** Lines of a process that are logged: wrapper scripts and libraries print a few. */
const MOST_LOGGED = 100;

/** How many lines of stdout were not of the protocol so far. */
export interface NoiseCount {
  noise: number;
}

/**
 * The event for a line of stdout without a frame: a `log` event, and a fault after `MOST_LOGGED` lines. `limitFaults` of
 * the host bounds faults, so that a million lines do not become a million events.
 */
export function noiseEvent(count: NoiseCount, line: string): Event {
  count.noise += 1;
  if (count.noise > MOST_LOGGED) return faultEvent('invalid-json', 'The line is not a JSON object.', line);
  return { type: 'log', level: 'info', text: line, source: 'agent' };
}
