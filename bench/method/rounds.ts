import { quiet } from './quiet.ts';
import { median } from './statistics.ts';

/** What one run of a case has measured, by the name of the measure. */
export type Sample = Readonly<Record<string, number>>;

export type Cases = Readonly<Record<string, () => Promise<Sample>>>;

/** The samples of each case, in the order of the rounds. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

export interface Rounds {
  readonly rounds: number;
  /** Rounds that are run first and dropped. */
  readonly warmUp: number;
}

/** Runs every case once per round in an order drawn anew, so that whatever drifts hits all of them alike. */
export async function interleave(cases: Cases, { rounds, warmUp }: Rounds): Promise<Samples> {
  const samples = new Map<string, Sample[]>(Object.keys(cases).map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, run] of shuffled(Object.entries(cases))) {
      await quiet();
      const sample = await run();
      if (round >= 0) samples.get(name)?.push(sample);
    }
  }
  return samples;
}

/** Runs every case so many times for nothing: who has been at work for a while has its code compiled. */
export async function workIn(cases: Cases, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) for (const run of Object.values(cases)) await run();
}

/** The values of one measure of one case. */
export function valuesOf(samples: Samples, name: string, measure: string): number[] {
  return (samples.get(name) ?? []).map((sample) => sample[measure] ?? Number.NaN);
}

export function medianOf(samples: Samples, name: string, measure: string): number {
  return median(valuesOf(samples, name, measure));
}

/** Median of the ratios within each round: a round that was slow as a whole does not count more than another. */
export function ratioOf(samples: Samples, name: string, base: string, measure: string): number {
  const bases = valuesOf(samples, base, measure);
  return median(valuesOf(samples, name, measure).map((value, round) => value / (bases[round] ?? Number.NaN)));
}

function shuffled<T>(items: readonly T[]): T[] {
  const drawn = items.map((item) => ({ item, at: Math.random() }));
  return drawn.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
