import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { compiled } from '../agents/agents.ts';
import type { Part, Report } from '../method/report.ts';

const AGENTS = 1_000;

/**
 * What is measured is what an agent costs. V8's young generation grows by some forty megabytes with the rate of lines, however
 * many agents say them; it is kept from that.
 */
const FLAGS = ['--expose-gc', '--max-semi-space-size=4'];

/** Many agents at once, each saying ten lines a second. */
export const live: Part = {
  name: 'live',
  async run(quick): Promise<Report> {
    const program = compiled('steady');
    if (program === undefined) throw new Error('There is no C compiler here.');
    const agents = quick ? 100 : AGENTS;
    const sample = join(import.meta.dirname, '..', 'samples', 'live.ts');
    const args = [...FLAGS, sample, program, String(agents), quick ? '2' : '10'];
    const said = execFileSync(process.execPath, args, { encoding: 'utf8' });
    const { p99, p50, perSecond, each } = JSON.parse(said) as Record<
      'p99' | 'p50' | 'perSecond' | 'each',
      number
    >;
    const head = ['agents', 'lines/s', 'loop late p50 ms', 'p99 ms', 'host memory each KiB'];
    const rows = [[String(agents), perSecond, p50, p99, each / 1024]];
    return {
      tables: [{ title: 'Many agents at once', head, rows }],
      bars: [
        { name: `${agents} live agents: loop delay p99, ms`, measured: p99, atMost: 2 },
        { name: `${agents} live agents: host memory each, KiB`, measured: each / 1024, atMost: 40 },
      ],
    };
  },
};
