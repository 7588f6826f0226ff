import type { HostSight } from './host/host-case.ts';

/** Runs in a row that reach the time limit without a start of the agent before the check is given up. */
const MOST_WITHOUT_AGENT = 3;

/** Runs in all that reach the time limit before the check is given up: it bounds a check to about a minute. */
const MOST_IN_ALL = 10;

/** Counts the runs of a host that had to be stopped. */
export interface HostTimeOuts {
  withoutAgent: number;
  inAll: number;
  untried: number;
}

/** Counts from zero. */
export function createHostTimeOuts(): HostTimeOuts {
  return { withoutAgent: 0, inAll: 0, untried: 0 };
}

/** Counts one more run. */
export function noteHostSight(timeOuts: HostTimeOuts, { overdue, agent }: HostSight): void {
  timeOuts.inAll += overdue ? 1 : 0;
  timeOuts.withoutAgent = overdue && agent === undefined ? timeOuts.withoutAgent + 1 : 0;
}

/** No further case is tried. */
export function isGivenUp({ withoutAgent, inAll }: HostTimeOuts): boolean {
  return withoutAgent >= MOST_WITHOUT_AGENT || inAll >= MOST_IN_ALL;
}

/** Why the check ended before all cases were tried; undefined when it did not. */
export function hostStoppedBy({ withoutAgent, inAll, untried }: HostTimeOuts): string | undefined {
  if (untried === 0) return undefined;
  const what =
    withoutAgent >= MOST_WITHOUT_AGENT
      ? `The host did not start the agent in time, ${withoutAgent} times in a row`
      : `The host did not finish its turn in time, ${inAll} times`;
  return `${what}; the other cases were not tried. A host that only needs longer gets it by --timeout.`;
}
