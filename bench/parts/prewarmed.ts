import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenAgent, open } from '@plugboard/host';
import { createSpawner, type Spawner } from '@plugboard/process';
import { answerers, TERMINAL_FRAMES, terminalProfile, WORKSPACE } from '../agents/agents.ts';
import { bareTurn, handTurn, hostTurn } from '../agents/turns.ts';
import type { Bar, Part, Report, Table } from '../method/report.ts';
import { type Cases, interleave, medianOf, ratioOf, workIn } from '../method/rounds.ts';

/** How many times sooner the first event must come than from a process started for the turn. */
const SOONER: Readonly<Record<string, number>> = { C: 10, Python: 50, Node: 20 };

/** Until a taken process has been replaced and the new one waits at its read; an interpreter takes its time. */
const WARMING_MS: Readonly<Record<string, number>> = { C: 80, sh: 80, Python: 220, Node: 300 };

/** So many turns before the first that counts. */
const TURNS_BEFORE = 1000;

/** Started by the spawn helper: a fork leaves the host's own memory slow to write to for the next turn, the helper does not. */
const HELPED = 'prewarmed by the helper';

const WAYS = ['prewarmed', HELPED, 'by hand'];

/** A turn that a waiting process takes, against a process started for it. */
export const prewarmed: Part = {
  name: 'prewarmed',
  async run(quick): Promise<Report> {
    const rows: Table['rows'][number][] = [];
    const bars: Bar[] = [];
    const spawner = await createSpawner({ cacheDirectory: join(WORKSPACE, 'cache') });
    await workIn(coldCases(Object.values(answerers())[0] ?? [], spawner), quick ? 20 : TURNS_BEFORE);
    for (const [language, argv] of Object.entries(answerers())) {
      const warmingMs = WARMING_MS[language] ?? 220;
      const samples = await measure([...argv, TERMINAL_FRAMES], spawner, warmingMs, quick ? 5 : 40);
      const ms = (name: string, measure: string): number => medianOf(samples, name, measure);
      const sooner = (name: string, measure: string): number => 1 / ratioOf(samples, name, 'bare', measure);
      const first = WAYS.flatMap((way) => [ms(way, 'first'), sooner(way, 'first')]);
      const done = ['prewarmed', HELPED].map((way) => sooner(way, 'done'));
      rows.push([language, ms('bare', 'first'), ...first, ms('bare', 'done'), ...done]);
      const atLeast = SOONER[language];
      if (atLeast === undefined) continue;
      for (const way of ['prewarmed', HELPED]) {
        const name = `${way}, ${language}: first event, times sooner`;
        bars.push({ name, measured: sooner(way, 'first'), atLeast });
      }
    }
    await spawner.close();
    const first = WAYS.flatMap((way) => [`${way}: first ms`, 'times sooner']);
    const head = ['agent', 'bare first ms', ...first, 'bare end ms', 'times sooner', 'helper, times sooner'];
    return { tables: [{ title: 'Prewarmed turn', head, rows }], bars };
  },
};

/** Turns that start their process, of the quickest agent. */
function coldCases(argv: readonly string[], spawner: Spawner): Cases {
  const profile = terminalProfile([...argv, TERMINAL_FRAMES]);
  const direct = open(profile, { environment: process.env });
  const helped = open(profile, { environment: process.env, spawner });
  return { direct: () => hostTurn(direct), helped: () => hostTurn(helped) };
}

async function measure(argv: readonly string[], spawner: Spawner, warmingMs: number, rounds: number) {
  const profile = terminalProfile(argv, { prewarm: 1 });
  const direct = open(profile, { environment: process.env });
  const helped = open(profile, { environment: process.env, spawner });
  const warm = (agent: OpenAgent) => async () => {
    const sample = await hostTurn(agent);
    // The replacement starts after the turn; it must not start during the next case, and must have settled by then.
    await sleep(warmingMs);
    return sample;
  };
  try {
    await sleep(warmingMs);
    const cases = {
      bare: () => bareTurn(argv),
      prewarmed: warm(direct),
      [HELPED]: warm(helped),
      'by hand': () => handTurn(argv, warmingMs),
    };
    return await interleave(cases, { rounds, warmUp: 10 });
  } finally {
    await direct.close();
    await helped.close();
  }
}
