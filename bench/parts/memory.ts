import { join } from 'node:path';
import type { Part, Report } from '../method/report.ts';
import { type Cases, interleave, medianOf, valuesOf } from '../method/rounds.ts';
import { freshSample } from '../samples/sample.ts';

const PROGRAM = join(import.meta.dirname, '..', 'samples', 'memory.ts');
const BAR_MIB = 64;

const KINDS = [
  { kind: 'plain', name: 'lines' },
  { kind: 'endless', name: 'no newline at all' },
];

/** How far the host grows while an agent writes a gigabyte and its consumer waits after every batch. */
export const memory: Part = {
  name: 'memory',
  async run(quick): Promise<Report> {
    const megabytes = quick ? 128 : 1024;
    const cases: Cases = Object.fromEntries(
      KINDS.map(({ kind, name }) => [name, () => freshSample(PROGRAM, [kind, megabytes])]),
    );
    const samples = await interleave(cases, { rounds: quick ? 1 : 3, warmUp: 0 });
    const worst = (name: string): number => Math.max(...valuesOf(samples, name, 'growth'));
    const rows = KINDS.map(({ name }) => [name, medianOf(samples, name, 'growth'), worst(name)]);
    const bars = KINDS.map(({ name }) => ({
      name: `memory, ${megabytes} MiB, ${name}: growth in MiB`,
      measured: worst(name),
      atMost: BAR_MIB,
    }));
    const title = `Growth of the host over ${megabytes} MiB of output, slow consumer`;
    return { tables: [{ title, head: ['output', 'growth MiB', 'worst MiB'], rows }], bars };
  },
};
