import { type Event, faultEvent } from '@plugboard/protocol';

/** Faults of a turn that are passed on singly: a million malformed lines make a million faults. */
const MOST_FAULTS = 100;

/** How many faults of a turn there were so far. */
export interface FaultCount {
  faults: number;
}

/** Drops the faults of a turn after `MOST_FAULTS`. Before the `end` one more fault reports their number. */
export function limitFaults(count: FaultCount, events: Event[]): Event[] {
  let found = false;
  for (const { type } of events) found ||= type === 'fault';
  const last = events.at(-1);
  const isEnd = last?.type === 'end';
  if (!found && !(isEnd && count.faults > MOST_FAULTS)) return events;
  const passed = events.filter(({ type }) => {
    if (type === 'fault') count.faults += 1;
    return type !== 'fault' || count.faults <= MOST_FAULTS;
  });
  if (isEnd && count.faults > MOST_FAULTS) passed.splice(-1, 0, summaryOf(count.faults - MOST_FAULTS));
  return passed;
}

function summaryOf(others: number): Event {
  const text = `${others} more faults of this turn were counted and left out.`;
  return faultEvent('too-many-faults', text, '');
}
