import type { HostSight } from './host/host-case.ts';

/** The check stops after 3 runs in a row that time out without starting the agent. */
const MOST_WITHOUT_AGENT = 3;

/** The check stops after 10 timed-out runs in all, which bounds it to about a minute. */
const MOST_IN_ALL = 10;

/** Counts timed-out runs of a host. */
export interface HostTimeOuts {
  withoutAgent: number;
  inAll: number;
  untried: number;
}

export function createHostTimeOuts(): HostTimeOuts {
  return { withoutAgent: 0, inAll: 0, untried: 0 };
}

export function noteHostSight(timeOuts: HostTimeOuts, { overdue, agent }: HostSight): void {
  timeOuts.inAll += overdue ? 1 : 0;
  timeOuts.withoutAgent = overdue && agent === undefined ? timeOuts.withoutAgent + 1 : 0;
}

export function isGivenUp({ withoutAgent, inAll }: HostTimeOuts): boolean {
  return withoutAgent >= MOST_WITHOUT_AGENT || inAll >= MOST_IN_ALL;
}

/** Reason for `Report.stopped`; `undefined` if all cases were tried. */
export function hostStoppedBy({ withoutAgent, inAll, untried }: HostTimeOuts): string | undefined {
  if (untried === 0) return undefined;
  const what =
    withoutAgent >= MOST_WITHOUT_AGENT
      ? `The host did not start the agent in time, ${withoutAgent} times in a row`
      : `The host did not finish its turn in time, ${inAll} times`;
  return `${what}; the other cases were not tried. A host that only needs longer gets it by --timeout.`;
}
