import { SEED } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { killAtRandom } from './crash.ts';

it('a gateway on four platforms that is killed 5 times loses no message and answers none twice', async () => {
  console.log(`Moments are drawn with PLUGBOARD_SEED=${SEED}; npm run test:deep tries 500.`);
  const { problems } = await killAtRandom(5);
  expect(problems).toEqual([]);
});
