import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from '../agents/agents.ts';
import { createPerson, type Measured, startMeasured } from '../gateway/client.ts';
import type { Part, Report } from '../method/report.ts';

const SESSIONS = 1_000;

/** Sessions whose resident agents have been ended until the next message: what they still cost. */
export const parked: Part = {
  name: 'parked',
  async run(quick): Promise<Report> {
    const program = compiled('resident');
    if (program === undefined) throw new Error('There is no C compiler here.');
    const gateway = await startMeasured([program], 0, 'nuum');
    try {
      const sessions = quick ? 50 : SESSIONS;
      // What the allocator keeps for itself, however many sessions there are, it has by then.
      await talk(gateway, quick ? 20 : SESSIONS / 2);
      const before = residentMiB(gateway);
      await talk(gateway, sessions);
      await sleep(3_000);
      const cost = residentMiB(gateway) - before;
      const rows = [[String(sessions), before, cost]];
      return {
        tables: [
          { title: 'Parked sessions', head: ['sessions', 'gateway MiB before', 'more MiB after'], rows },
        ],
        bars: [{ name: `${sessions} parked sessions: memory, MiB`, measured: cost, atMost: 64 }],
      };
    } finally {
      await gateway.stop();
    }
  },
};

/** So many people say something once, a few at a time, and leave. */
async function talk(gateway: Measured, people: number): Promise<void> {
  let left = people;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const person = await createPerson(gateway);
      await person.ask();
      person.close();
    }
  };
  await Promise.all([one(), one(), one(), one()]);
}

function residentMiB({ child }: Measured): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
