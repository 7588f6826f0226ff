import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDistiller } from '../../packages/nuum/src/memory/distil/distiller.ts';
import { openMemory } from '../../packages/nuum/src/memory/open.ts';
import { buildAll } from '../../scripts/build/all.ts';
import { WORKSPACE } from '../agents/agents.ts';
import type { Part, Report } from '../method/report.ts';
import { interleave, medianOf, ratioOf, type Sample } from '../method/rounds.ts';
import { median } from '../method/statistics.ts';
import { NUUM, startNuum } from '../nuum/agent.ts';

const SHORT_PAST = 100;
const LONG_PAST = 100_000;

/** The resident agent, built, with a model that answers at once: what is left is our own. */
export const nuum: Part = {
  name: 'nuum',
  async run(quick): Promise<Report> {
    if (!existsSync(NUUM)) await buildAll();
    const directory = mkdtempSync(join(WORKSPACE, 'nuum-'));
    const start = await startUp(directory, quick);
    const turns = await resident(directory, quick);
    const past = await growth(directory, quick);
    const rows = [
      ['start to the first line, ms', start.ms],
      ['the same ÷ node -e 0', start.ratio],
      ['idle memory, MiB', start.rss],
      ['processor time of a plain turn, ms', turns.cpu],
      ['plain turn, ms', turns.wall],
      ['heartbeat there and back, ms', turns.heartbeat],
      [`turn with ${LONG_PAST} messages behind it ÷ with ${SHORT_PAST}`, past],
    ];
    return {
      tables: [{ title: 'The resident agent', head: ['what', 'measured'], rows }],
      bars: [
        { name: 'nuum: start to the first line ÷ node -e 0', measured: start.ratio, atMost: 2.5 },
        { name: 'nuum: idle memory, MiB', measured: start.rss, atMost: 90 },
        { name: 'nuum: processor time of a plain turn, ms', measured: turns.cpu, atMost: 5 },
        { name: 'nuum: heartbeat, ms', measured: turns.heartbeat, atMost: 1 },
        { name: 'nuum: turn with a long past ÷ a short one', measured: past, atMost: 1.5 },
      ],
    };
  },
};

async function startUp(
  directory: string,
  quick: boolean,
): Promise<{ ms: number; ratio: number; rss: number }> {
  const idle: number[] = [];
  const cases = {
    bare: async (): Promise<Sample> => {
      const started = performance.now();
      await once(spawn(process.execPath, ['-e', '0']), 'close');
      return { ms: performance.now() - started };
    },
    nuum: async (): Promise<Sample> => {
      const agent = await startNuum(join(directory, 'start.db'));
      await sleep(100);
      idle.push(agent.rssMiB());
      await agent.end();
      return { ms: agent.initMs };
    },
  };
  const samples = await interleave(cases, { rounds: quick ? 5 : 40, warmUp: 2 });
  return {
    ms: medianOf(samples, 'nuum', 'ms'),
    ratio: ratioOf(samples, 'nuum', 'bare', 'ms'),
    rss: median(idle),
  };
}

async function resident(
  directory: string,
  quick: boolean,
): Promise<{ cpu: number; wall: number; heartbeat: number }> {
  const agent = await startNuum(join(directory, 'turns.db'));
  for (let count = 0; count < 50; count++) await agent.turn('warm up');
  const turns = quick ? 200 : 2_000;
  const before = agent.cpuMs();
  const wall: number[] = [];
  for (let count = 0; count < turns; count++) wall.push(await agent.turn(`message ${count}`));
  const cpu = (agent.cpuMs() - before) / turns;
  const beats: number[] = [];
  for (let count = 0; count < 200; count++) beats.push(await agent.heartbeat());
  await agent.end();
  return { cpu, wall: median(wall), heartbeat: median(beats) };
}

/** Turns in two memories, one after the other in turn, so that both meet the same machine. */
async function growth(directory: string, quick: boolean): Promise<number> {
  const [short, long] = [join(directory, 'short.db'), join(directory, 'long.db')];
  await fill(short, SHORT_PAST);
  await fill(long, LONG_PAST);
  const agents = { short: await startNuum(short), long: await startNuum(long) };
  for (let count = 0; count < 20; count++)
    for (const agent of Object.values(agents)) await agent.turn('warm up');
  const cases = {
    short: async (): Promise<Sample> => ({ ms: await agents.short.turn('and now?') }),
    long: async (): Promise<Sample> => ({ ms: await agents.long.turn('and now?') }),
  };
  const samples = await interleave(cases, { rounds: quick ? 40 : 300, warmUp: 5 });
  for (const agent of Object.values(agents)) await agent.end();
  return ratioOf(samples, 'long', 'short', 'ms');
}

/** A past of short messages, as talk is. */
async function fill(db: string, messages: number): Promise<void> {
  const memory = openMemory(db, { now: () => Date.now() });
  const text = (index: number): string =>
    `Message ${index} about the ${index % 97}th thing, with a few words to it.`;
  for (let index = 0; index < messages; index += 100) {
    const some = Array.from({ length: Math.min(100, messages - index) }, (_, offset) => ({
      kind: offset % 2 === 0 ? ('user' as const) : ('assistant' as const),
      text: text(index + offset),
    }));
    memory.messages.appendAll(some);
  }
  // As it would have been by then: by rules alone, which show the mechanism, not the quality of a summary.
  const ask = async () => ({ text: '', calls: [], finish: 'stop' as const, usage: {} });
  const distiller = createDistiller({
    memory,
    ask,
    now: () => Date.now(),
    log: () => {},
    limits: { calls: 1e6, tries: 1 },
  });
  await distiller.run();
  await distiller.stop();
  memory.close();
}
