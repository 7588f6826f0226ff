import { join } from 'node:path';
import type { Part, Report } from '../method/report.ts';
import { type Cases, interleave, medianOf, ratioOf } from '../method/rounds.ts';
import { freshSample } from '../samples/sample.ts';

const PROGRAM = join(import.meta.dirname, '..', 'samples', 'long-line.ts');
const MEGABYTES = [1, 8, 64];

/** Twice the memory is slower to walk through, so a little growth is no sign of a second pass. */
const BAR = 1.5;

/** One line of many megabytes: the time for each of them must not grow with their number. */
export const longLine: Part = {
  name: 'long-line',
  async run(quick): Promise<Report> {
    const cases: Cases = Object.fromEntries(
      MEGABYTES.map((megabytes) => [String(megabytes), () => freshSample(PROGRAM, [megabytes])]),
    );
    const samples = await interleave(cases, { rounds: quick ? 1 : 7, warmUp: 0 });
    const rows = MEGABYTES.map((megabytes) => [
      String(megabytes),
      medianOf(samples, String(megabytes), 'perMegabyte'),
      ratioOf(samples, String(megabytes), '8', 'perMegabyte'),
    ]);
    const head = ['MB in one line', 'ms for each MB', 'against 8 MB'];
    const measured = ratioOf(samples, '64', '8', 'perMegabyte');
    const bars = [{ name: 'one long line: time per MB, 64 MB ÷ 8 MB', measured, atMost: BAR }];
    return { tables: [{ title: 'One long line', head, rows }], bars };
  },
};
