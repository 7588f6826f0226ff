import { answerers, TERMINAL_FRAMES } from '../agents/agents.ts';
import { type BareHost, startBareHost } from '../gateway/bare.ts';
import { createPerson, type Measured, startMeasured } from '../gateway/client.ts';
import { rate } from '../method/rate.ts';
import type { Bar, Part, Report, Table } from '../method/report.ts';
import { interleave, medianOf, ratioOf } from '../method/rounds.ts';
import { median } from '../method/statistics.ts';

const CLIENTS = [8, 64];

/** A whole durable turn, message in over HTTP and end out over an event stream, against starting its agent by hand. */
export const gatewayTurn: Part = {
  name: 'gateway',
  async run(quick): Promise<Report> {
    const [argv = []] = Object.values(answerers());
    const command = [...argv, TERMINAL_FRAMES];
    const small = await measureAt(command, 0, SMALL, quick);
    const large = await measureAt(command, BALLAST_MIB, LARGE, quick);
    return { tables: [...small.tables, ...large.tables], bars: [...small.bars, ...large.bars] };
  },
};

/** Both sides carry the same ballast, each in a process of its own. */
async function measureAt(
  command: readonly string[],
  ballastMiB: number,
  goals: Goals,
  quick: boolean,
): Promise<Report> {
  const gateway = await startMeasured(command, ballastMiB);
  const host = await startBareHost(command, ballastMiB);
  try {
    // In this order, because a gateway that has been at work for a while has its code compiled.
    const rates = await measureRates(gateway, host, goals, quick);
    const latency = await measureLatency(gateway, host, goals, quick);
    return { tables: [latency.table, rates.table], bars: [...latency.bars, ...rates.bars] };
  } finally {
    host.stop();
    await gateway.stop();
  }
}

interface Goals {
  readonly size: string;
  /** At most this many times as long as a bare spawn. */
  readonly latency: number;
  /** At least this many times as many a second. */
  readonly rate: number;
}

const BALLAST_MIB = 430;
const SMALL: Goals = { size: 'small', latency: 1.25, rate: 1.5 };
const LARGE: Goals = { size: 'at 500 MiB', latency: 0.1, rate: 20 };

async function measureLatency(gateway: Measured, host: BareHost, goals: Goals, quick: boolean) {
  const person = await createPerson(gateway);
  const cases = {
    bare: async () => ({ done: await host.turn() }),
    gateway: async () => ({ done: await person.ask() }),
  };
  const samples = await interleave(cases, { rounds: quick ? 10 : 150, warmUp: quick ? 5 : 50 });
  person.close();
  const measured = ratioOf(samples, 'gateway', 'bare', 'done');
  const rows = [['C', medianOf(samples, 'bare', 'done'), medianOf(samples, 'gateway', 'done'), measured]];
  const table: Table = {
    title: `One durable turn, every commit synced, ${goals.size}`,
    head: ['agent', 'bare ms', 'gateway ms', 'gateway ÷ bare'],
    rows,
  };
  return {
    table,
    bars: [
      { name: `durable turn, C, ${goals.size}: gateway ÷ bare spawn`, measured, atMost: goals.latency },
    ] satisfies Bar[],
  };
}

async function measureRates(gateway: Measured, host: BareHost, goals: Goals, quick: boolean) {
  const rows: Table['rows'][number][] = [];
  const bars: Bar[] = [];
  for (const clients of CLIENTS) {
    const people = await Promise.all(Array.from({ length: clients }, () => createPerson(gateway)));
    const ms = quick ? 300 : 2_000;
    const ratios: number[] = [];
    const seen = { bare: [] as number[], gateway: [] as number[] };
    for (let round = -1; round < (quick ? 2 : 5); round += 1) {
      const bare = await host.rate(clients, ms);
      const ours = await rate(clients, ms, (client) => people[client % clients]?.ask() ?? Promise.resolve(0));
      if (round < 0) continue;
      seen.bare.push(bare);
      seen.gateway.push(ours);
      ratios.push(ours / bare);
    }
    for (const person of people) person.close();
    rows.push([String(clients), median(seen.bare), median(seen.gateway), median(ratios)]);
    bars.push({
      name: `turns per second, ${clients} clients, ${goals.size}: gateway ÷ bare spawns`,
      measured: median(ratios),
      atLeast: goals.rate,
    });
  }
  const head = ['clients', 'bare spawns/s', 'durable turns/s', 'gateway ÷ bare'];
  return {
    table: { title: `Turns per second, every commit synced, ${goals.size}`, head, rows } satisfies Table,
    bars,
  };
}
