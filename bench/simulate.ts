import { parseArgs } from 'node:util';
import { createRandom, startPostgres } from '@plugboard/testkit';
import { rateOfNodes } from './gateway/store-nodes.ts';
import { render, type Table } from './method/report.ts';
import { quantile } from './method/statistics.ts';
import { type Costs, measureCosts } from './scale/costs.ts';
import { type Outcome, type Setting, simulate } from './scale/service.ts';
import { simulateLoops } from './scale/work-loop.ts';

/*
 * `node bench/simulate.ts [--quick]`: measures what the calls of a store in Postgres cost on this machine, checks the model
 * against real nodes, and then runs the model where no machine is at hand: 100 nodes and 10,000,000 sessions.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const { quick } = values;

/** 1,000,000 sessions cost 1.04 times as much as 1,000 (`npm run bench -- postgres`); ten times as many, once more as much. */
const GROWTH = 1.08;

const random = createRandom(1);

await using server = await startPostgres();
const costs = await measureCosts(server, quick ? 200 : 2_000);
print(tableOfCosts(costs));
print(await checkModel(costs));

const grown = mapCosts(costs, GROWTH);
const BASE: Setting = {
  nodes: 100,
  slots: 16,
  turnMs: 5_000,
  messagesPerSecond: 200,
  records: 10,
  seconds: 120,
  speed: 1,
  servers: 1,
  diskMs: 0,
  losesNode: false,
  reconnects: 0,
};
print(sweepRates('One server as fast as this machine, 100 nodes of 16 turns', BASE));
print(sweepRates('A server eight times as fast', { ...BASE, speed: 8, slots: 160 }));
print(compareEvents());
print(compareShards());

function print(table: Table): void {
  process.stdout.write(`${render(table)}\n`);
}

function mapCosts(measured: Costs, factor: number): Costs {
  const entries = Object.entries(measured).map(([name, { busyMs, latencyMs }]) => [
    name,
    { busyMs: busyMs * factor, latencyMs: latencyMs * factor },
  ]);
  return Object.fromEntries(entries) as Costs;
}

function tableOfCosts(measured: Costs): Table {
  const rows = Object.entries(measured).map(([name, { busyMs, latencyMs }]) => [name, busyMs, latencyMs]);
  return { title: 'What a call costs here', head: ['call', 'busy ms', 'latency ms'], rows };
}

async function checkModel(measured: Costs): Promise<Table> {
  const seconds = quick ? 2 : 10;
  const rows: (string | number)[][] = [];
  for (const count of [1, 2, 3]) {
    const real = await rateOfNodes(server, count, seconds);
    const model = simulateLoops(count, measured, seconds);
    rows.push([`${count}`, real, model, model / real]);
  }
  const head = ['nodes', 'real turns/s', 'model turns/s', 'model ÷ real'];
  return { title: 'The model against real nodes: turns of 50 ms, 8 at a time', head, rows };
}

/** Each rate until the service falls behind. */
function sweepRates(title: string, setting: Setting): Table {
  const rows: (string | number)[][] = [];
  for (const factor of [0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.25, 2]) {
    const most = (setting.nodes * setting.slots * 1_000) / setting.turnMs;
    const messagesPerSecond = Math.round(most * factor);
    const outcome = simulate({ ...setting, messagesPerSecond }, grown, random);
    rows.push([`${messagesPerSecond}`, ...figuresOf(outcome), plotBar(outcome.busy)]);
  }
  const head = ['messages/s', 'turns/s', 'wait p50 ms', 'wait p99 ms', 'server busy', 'refused', ''];
  return { title, head, rows };
}

function figuresOf({ turnsPerSecond, waits, busy, refused }: Outcome): number[] {
  return [turnsPerSecond, quantile(waits, 0.5), quantile(waits, 0.99), busy, refused];
}

function plotBar(share: number): string {
  return '█'.repeat(Math.round(Math.min(1, share) * 20));
}

function compareEvents(): Table {
  const cases: Readonly<Record<string, Partial<Setting>>> = {
    undisturbed: {},
    'a node dies': { losesNode: true },
    'a disk that takes 10 ms for each commit': { diskMs: 10 },
    '10,000 readers come back in a second': { reconnects: 10_000 },
    '100,000 readers come back in a second': { reconnects: 100_000 },
  };
  const rows = Object.entries(cases).map(([name, change]) => {
    const outcome = simulate({ ...BASE, messagesPerSecond: 160, ...change }, grown, random);
    const special = outcome.takeoverMs ?? outcome.reconnectMs ?? Number.NaN;
    return [name, ...figuresOf(outcome).slice(1, 4), special];
  });
  const head = ['160 messages/s', 'wait p50 ms', 'wait p99 ms', 'server busy', 'until it is over, ms'];
  return { title: 'What happens to 100 nodes', head, rows };
}

function compareShards(): Table {
  const rows = [1, 2, 4].map((servers) => {
    // Nodes with room for more turns than four servers of this speed can take.
    const outcome = simulate({ ...BASE, slots: 160, servers, messagesPerSecond: 1_600 }, grown, random);
    return [`${servers}`, outcome.turnsPerSecond, outcome.busy];
  });
  const head = ['servers', 'turns/s at most', 'busiest server'];
  return { title: 'Sessions divided among several servers', head, rows };
}
