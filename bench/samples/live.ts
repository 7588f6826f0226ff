import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '@plugboard/host';
import { createSpawner } from '@plugboard/process';
import { createTurn } from '@plugboard/protocol';
import { terminalProfile } from '../agents/agents.ts';

/* A host with many agents that all say something ten times a second: how late it is, and what each of them costs. */
const [program = '', count = '1000', seconds = '5'] = process.argv.slice(2);
const agents = Number(count);
const lines = (Number(seconds) + agents / 200 + 3) * 10;
const spawner = await createSpawner({ cacheDirectory: join(tmpdir(), 'plugboard-bench-cache') });
const agent = open(terminalProfile([program, String(lines)]), { environment: process.env, spawner });
const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage.rss();
};
// One first, so that what any agent needs is there already.
await agent.run(createTurn({ id: 'first' }), AbortSignal.timeout(500)).result;
const before = memory();
let events = 0;
const stop = new AbortController();
const turns = Array.from({ length: agents }, async (_, at) => {
  await sleep(at * 5);
  for await (const batch of agent.run(createTurn({ id: `t${at}` }), stop.signal).batches())
    events += batch.length;
});
await sleep(agents * 5 + 1_000);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const counted = events;
await sleep(Number(seconds) * 1000);
delay.disable();
const perSecond = (events - counted) / Number(seconds);
const each = (memory() - before) / agents;
stop.abort();
await Promise.all(turns);
await agent.close();
await spawner.close();
// The histogram counts the tick itself; what is over it is lateness.
const p99 = delay.percentile(99) / 1e6 - 1;
process.stdout.write(`${JSON.stringify({ p99, p50: delay.percentile(50) / 1e6 - 1, perSecond, each })}\n`);
process.exit(0);
