import { join } from 'node:path';
import type { Part, Report } from '../method/report.ts';
import { type Cases, interleave, medianOf, ratioOf, type Sample } from '../method/rounds.ts';
import { freshSample } from '../samples/sample.ts';

const PROGRAM = join(import.meta.dirname, '..', 'samples', 'read.ts');
const MEBIBYTES = [1, 8, 64];
const TOTAL = 128;

/** Larger memory is slower to walk through for everybody, so a little growth is no sign of a second pass. */
const BAR = 1.5;

/** One line of many megabytes: the work for each of them must not grow with their number. */
export const longLine: Part = {
  name: 'long-line',
  async run(quick): Promise<Report> {
    const samples = await interleave(cases(), { rounds: quick ? 1 : 5, warmUp: 0 });
    const ours = (size: number): string => `batches ${size}`;
    const cpu = (way: string, size: number): number => medianOf(samples, `${way} ${size}`, 'each');
    const against = (size: number): number => ratioOf(samples, ours(size), ours(8), 'each');
    const rows = MEBIBYTES.map((size) => [
      `${size} MiB`,
      cpu('batches', size),
      cpu('raw', size) + cpu('memory', size),
      against(size),
    ]);
    const head = [
      'one line of',
      'ours, CPU ms for each MiB',
      'raw read + decode + parse',
      'ours against 8 MiB',
    ];
    const bars = [
      { name: 'one long line: work for each MiB, 64 ÷ 8 MiB', measured: against(64), atMost: BAR },
    ];
    return { tables: [{ title: 'One long line', head, rows }], bars };
  },
};

function cases(): Cases {
  const ways = ['raw', 'memory', 'batches'];
  const entries = MEBIBYTES.flatMap((size) =>
    ways.map((way) => [`${way} ${size}`, () => sample(way, size)] as const),
  );
  return Object.fromEntries(entries);
}

async function sample(way: string, size: number): Promise<Sample> {
  const { cpu = Number.NaN } = await freshSample(PROGRAM, [way, size * 1024 * 1024, TOTAL / size, 'plain']);
  return { each: cpu / TOTAL };
}
