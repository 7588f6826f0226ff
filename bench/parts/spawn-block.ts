import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type OpenAgent, open } from '@plugboard/host';
import { createSpawner, type Spawner } from '@plugboard/process';
import { answerers, TERMINAL_FRAMES, TURN, terminalProfile, WORKSPACE } from '../agents/agents.ts';
import type { Part, Report, Table } from '../method/report.ts';
import { type Cases, interleave, medianOf, ratioOf, type Sample, type Samples } from '../method/rounds.ts';

const BALLAST_BYTES = 500 * 1024 * 1024;
const KINDS = ['direct', 'native', 'node'] as const;

/** How long a start keeps the event loop from anything else, and how long its turn takes, by the way of starting. */
export const spawnBlock: Part = {
  name: 'spawn-block',
  async run(quick): Promise<Report> {
    const [argv = []] = Object.values(answerers());
    const spawners = await allSpawners();
    const cases = casesFor([...argv, TERMINAL_FRAMES], spawners);
    const rounds = { rounds: quick ? 8 : 60, warmUp: quick ? 1 : 10 };
    const small = rowsOf(await interleave(cases, rounds));
    const ballast = Buffer.alloc(BALLAST_BYTES, 1);
    const large = rowsOf(await interleave(cases, rounds));
    await Promise.all(spawners.map((spawner) => spawner.close()));
    const head = ['memory of the host, MiB', 'start', 'loop held ms', '÷ bare', 'turn ms', '÷ bare'];
    const title = `Ways to start a process (ballast ${ballast.length >> 20} MiB)`;
    return { tables: [{ title, head, rows: [...small, ...large] }], bars: [] };
  },
};

/** The kinds that this machine can have. */
async function allSpawners(): Promise<Spawner[]> {
  const cacheDirectory = join(WORKSPACE, 'cache');
  const made = await Promise.allSettled(KINDS.map((kind) => createSpawner({ kind, cacheDirectory })));
  return made.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

function casesFor(argv: readonly string[], spawners: readonly Spawner[]): Cases {
  const ways = spawners.map((spawner): [string, () => Promise<Sample>] => {
    const agent = open(terminalProfile(argv), { environment: process.env, spawner });
    return [spawner.kind, () => heldTurn(agent)];
  });
  return { bare: () => bare(argv), ...Object.fromEntries(ways) };
}

/** What is done by hand where there is no host: start, write, read, see it close. */
function bare([file = '', ...args]: readonly string[]): Promise<Sample> {
  const started = performance.now();
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const held = performance.now() - started;
  child.stdin.end('{}\n');
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', () => resolve({ held, done: performance.now() - started }));
  });
}

async function heldTurn(agent: OpenAgent): Promise<Sample> {
  const started = performance.now();
  const run = agent.run(TURN);
  const held = performance.now() - started;
  const { outcome, error } = await run.result;
  if (outcome !== 'success') throw new Error(error?.message ?? outcome);
  return { held, done: performance.now() - started };
}

function rowsOf(samples: Samples): Table['rows'][number][] {
  const rss = String(Math.round(process.memoryUsage.rss() / 2 ** 20));
  return [...samples.keys()].map((name) => [
    ...[rss, name, medianOf(samples, name, 'held'), ratioOf(samples, name, 'bare', 'held')],
    ...[medianOf(samples, name, 'done'), ratioOf(samples, name, 'bare', 'done')],
  ]);
}
