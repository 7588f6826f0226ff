import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenAgent, open } from '@plugboard/host';
import { answerers, TERMINAL_FRAMES, terminalProfile } from '../agents/agents.ts';
import { bareTurn, handTurn, hostTurn } from '../agents/turns.ts';
import type { Bar, Part, Report, Table } from '../method/report.ts';
import { interleave, medianOf, ratioOf } from '../method/rounds.ts';

/** How many times sooner the first event must come than from a process started for the turn. */
const SOONER: Readonly<Record<string, number>> = { C: 10, Python: 50, Node: 20 };

/** Until a taken process has been replaced and the new one waits at its read; an interpreter takes its time. */
const WARMING_MS: Readonly<Record<string, number>> = { C: 80, sh: 80, Python: 220, Node: 300 };

/** A host that has been at work for a while: its code is compiled. */
const TURNS_BEFORE = 300;

/** A turn that a waiting process takes, against a process started for it. */
export const prewarmed: Part = {
  name: 'prewarmed',
  async run(quick): Promise<Report> {
    const rows: Table['rows'][number][] = [];
    const bars: Bar[] = [];
    await workIn(Object.values(answerers())[0] ?? [], quick ? 50 : TURNS_BEFORE);
    for (const [language, argv] of Object.entries(answerers())) {
      const samples = await measure([...argv, TERMINAL_FRAMES], WARMING_MS[language] ?? 220, quick ? 5 : 40);
      const sooner = 1 / ratioOf(samples, 'prewarmed', 'bare', 'first');
      const byHand = 1 / ratioOf(samples, 'by hand', 'bare', 'first');
      const ended = 1 / ratioOf(samples, 'prewarmed', 'bare', 'done');
      const ms = (name: string, measure: string): number => medianOf(samples, name, measure);
      rows.push([
        language,
        ms('bare', 'first'),
        ms('prewarmed', 'first'),
        sooner,
        byHand,
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
      'by hand, times sooner',
      'bare end ms',
      'prewarmed end ms',
      'times sooner',
    ];
    return { tables: [{ title: 'Prewarmed turn', head, rows }], bars };
  },
};

/** Turns of the quickest agent, so that what is measured is not the first use of anything. */
async function workIn(argv: readonly string[], turns: number): Promise<void> {
  const agent = open(terminalProfile([...argv, TERMINAL_FRAMES]), { environment: process.env });
  for (let turn = 0; turn < turns; turn++) await hostTurn(agent);
  await agent.close();
}

async function measure(argv: readonly string[], warmingMs: number, rounds: number) {
  const agent: OpenAgent = open(terminalProfile(argv, { prewarm: 1 }), { environment: process.env });
  const warm = async () => {
    const sample = await hostTurn(agent);
    // The replacement starts after the turn; it must not start during the next case, and must have settled by then.
    await sleep(warmingMs);
    return sample;
  };
  try {
    await sleep(warmingMs);
    const cases = { bare: () => bareTurn(argv), prewarmed: warm, 'by hand': () => handTurn(argv, warmingMs) };
    return await interleave(cases, { rounds, warmUp: 10 });
  } finally {
    await agent.close();
  }
}
