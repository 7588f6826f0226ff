import { expect, it } from 'vitest';
import { killAtRandom } from './crash.ts';

/** Short runs, so that a problem is found beside the kill that made it. */
const RUNS = 10;
const KILLS = 50;

/** Share of messages that platforms may give up while the gateway is killed again and again. */
const MOST_UNKEPT = 0.1;

it('a gateway on four platforms that is killed 500 times loses no message and answers none twice', async () => {
  for (let run = 0; run < RUNS; run += 1) {
    const { problems, ...counts } = await killAtRandom(KILLS);
    console.log(JSON.stringify(counts));
    expect(problems).toEqual([]);
    expect(counts.unkept.length).toBeLessThan(counts.messages * MOST_UNKEPT);
  }
}, 1_500_000);
