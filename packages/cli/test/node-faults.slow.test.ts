import { SEED } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { runFaults } from './node-faults.ts';

it('three gateways on one database keep their promises while things break', async () => {
  console.log(`Faults are drawn with PLUGBOARD_SEED=${SEED}; npm run test:deep tries 300.`);
  const report = await runFaults(8);
  console.log(JSON.stringify(report));
  expect(report.problems).toEqual([]);
});
