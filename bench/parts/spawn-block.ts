import { spawn } from 'node:child_process';
import { open } from '@plugboard/host';
import { answerers, TERMINAL_FRAMES, TURN, terminalProfile } from '../agents/agents.ts';
import type { Part, Report, Table } from '../method/report.ts';
import { type Cases, interleave, medianOf, ratioOf, type Sample } from '../method/rounds.ts';

const BALLAST_BYTES = 500 * 1024 * 1024;

/** How long the call that starts a turn keeps the event loop from anything else. */
export const spawnBlock: Part = {
  name: 'spawn-block',
  async run(quick): Promise<Report> {
    const [argv = []] = Object.values(answerers());
    const cases = casesFor([...argv, TERMINAL_FRAMES]);
    const rounds = { rounds: quick ? 8 : 60, warmUp: quick ? 1 : 5 };
    const small = await row(cases, rounds);
    const ballast = Buffer.alloc(BALLAST_BYTES, 1);
    const large = await row(cases, rounds);
    const head = ['memory of the host, MiB', 'bare spawn ms', 'ours ms', 'ours ÷ bare'];
    const title = `Event loop held by the call that starts a process (ballast ${ballast.length >> 20} MiB)`;
    return { tables: [{ title, head, rows: [small, large] }], bars: [] };
  },
};

async function row(cases: Cases, rounds: { rounds: number; warmUp: number }): Promise<Table['rows'][number]> {
  const rss = Math.round(process.memoryUsage.rss() / 2 ** 20);
  const samples = await interleave(cases, rounds);
  const held = (name: string): number => medianOf(samples, name, 'held');
  return [String(rss), held('bare'), held('ours'), ratioOf(samples, 'ours', 'bare', 'held')];
}

function casesFor(argv: readonly string[]): Cases {
  const [file = '', ...args] = argv;
  const agent = open(terminalProfile(argv), { environment: process.env });
  return {
    bare: () => {
      const started = performance.now();
      const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
      const held = performance.now() - started;
      child.stdin.end('{}\n');
      child.stdout.resume();
      child.stderr.resume();
      return new Promise<Sample>((resolve) => child.on('close', () => resolve({ held })));
    },
    ours: async () => {
      const started = performance.now();
      const run = agent.run(TURN);
      const held = performance.now() - started;
      await run.result;
      return { held };
    },
  };
}
