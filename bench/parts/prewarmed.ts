import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenAgent, open } from '@plugboard/host';
import { answerers, TERMINAL_FRAMES, terminalProfile } from '../agents/agents.ts';
import { bareTurn, hostTurn } from '../agents/turns.ts';
import type { Bar, Part, Report, Table } from '../method/report.ts';
import { interleave, medianOf, ratioOf } from '../method/rounds.ts';

/** How many times sooner the first event must come than from a process started for the turn. */
const SOONER: Readonly<Record<string, number>> = { C: 10, Python: 50, Node: 20 };

/** Until a taken process has been replaced and the new one waits at its read. */
const WARMING_MS = 220;

/** A turn that a waiting process takes, against a process started for it. */
export const prewarmed: Part = {
  name: 'prewarmed',
  async run(quick): Promise<Report> {
    const rows: Table['rows'][number][] = [];
    const bars: Bar[] = [];
    for (const [language, argv] of Object.entries(answerers())) {
      const samples = await measure([...argv, TERMINAL_FRAMES], quick ? 5 : 25);
      const sooner = 1 / ratioOf(samples, 'prewarmed', 'bare', 'first');
      const ended = 1 / ratioOf(samples, 'prewarmed', 'bare', 'done');
      const ms = (name: string, measure: string): number => medianOf(samples, name, measure);
      rows.push([
        language,
        ms('bare', 'first'),
        ms('prewarmed', 'first'),
        sooner,
        ms('bare', 'done'),
        ms('prewarmed', 'done'),
        ended,
      ]);
      const atLeast = SOONER[language];
      if (atLeast === undefined) continue;
      bars.push({ name: `prewarmed, ${language}: first event, times sooner`, measured: sooner, atLeast });
    }
    const head = [
      'agent',
      'bare first ms',
      'prewarmed first ms',
      'times sooner',
      'bare end ms',
      'prewarmed end ms',
      'times sooner',
    ];
    return { tables: [{ title: 'Prewarmed turn', head, rows }], bars };
  },
};

async function measure(argv: readonly string[], rounds: number) {
  const agent: OpenAgent = open(terminalProfile(argv, { prewarm: 1 }), { environment: process.env });
  const warm = async () => {
    const sample = await hostTurn(agent);
    // The replacement starts after the turn; it must not start during the next case, and must have settled by then.
    await sleep(WARMING_MS);
    return sample;
  };
  try {
    await sleep(WARMING_MS);
    return await interleave({ bare: () => bareTurn(argv), prewarmed: warm }, { rounds, warmUp: 10 });
  } finally {
    await agent.close();
  }
}
