import { join } from 'node:path';
import type { Bar, Part, Report, Table } from '../method/report.ts';
import { type Cases, interleave, medianOf, type Samples, valuesOf } from '../method/rounds.ts';
import { median } from '../method/statistics.ts';
import { freshSample } from '../samples/sample.ts';

const PROGRAM = join(import.meta.dirname, '..', 'samples', 'read.ts');
const WAYS = ['raw', 'memory', 'readline', 'events', 'batches'];
const BAR = 0.8;

const SIZES = [
  { bytes: 100, count: 1_000_000 },
  { bytes: 1024, count: 100_000 },
  { bytes: 65_536, count: 2_000 },
];

/** Lines per second through the host, against the parts of the work that nobody can leave out. */
export const reading: Part = {
  name: 'reading',
  async run(quick): Promise<Report> {
    const rows: Table['rows'][number][] = [];
    const bars: Bar[] = [];
    for (const { bytes, count } of SIZES) {
      for (const kind of ['plain', 'accented']) {
        const lines = quick ? Math.ceil(count / 10) : count;
        const samples = await interleave(casesFor(bytes, lines, kind), { rounds: quick ? 1 : 9, warmUp: 0 });
        const label = `${bytes} B, ${kind}`;
        rows.push(rowOf(label, lines, samples));
        const measured = shareOf(samples, 'batches');
        bars.push({ name: `reading ${label}: share of the floor, batches`, measured, atLeast: BAR });
        bars.push({
          name: `reading ${label}: share of the floor, events`,
          measured: shareOf(samples, 'events'),
          atLeast: BAR,
        });
      }
    }
    const head = [
      'lines',
      'raw read CPU ms',
      'decode + parse CPU ms',
      'batches lines/s',
      'share',
      'events lines/s',
      'share',
      'readline lines/s',
      'share',
    ];
    return { tables: [{ title: 'Reading a flood of lines', head, rows }], bars };
  },
};

function casesFor(bytes: number, count: number, kind: string): Cases {
  return Object.fromEntries(WAYS.map((way) => [way, () => freshSample(PROGRAM, [way, bytes, count, kind])]));
}

/** How much of our CPU time the raw read and the parsing alone would take: 1 is as good as can be. */
function shareOf(samples: Samples, way: string): number {
  const cpu = (name: string): number[] => valuesOf(samples, name, 'cpu');
  const [raw, memory] = [cpu('raw'), cpu('memory')];
  return median(cpu(way).map((ours, round) => ((raw[round] ?? 0) + (memory[round] ?? 0)) / ours));
}

function rowOf(label: string, lines: number, samples: Samples): (string | number)[] {
  const cpu = (way: string): number => medianOf(samples, way, 'cpu');
  const rate = (way: string): number => (lines / medianOf(samples, way, 'ms')) * 1000;
  const ways = ['batches', 'events', 'readline'].flatMap((way) => [rate(way), shareOf(samples, way)]);
  return [label, cpu('raw'), cpu('memory'), ...ways];
}
