import { SEED } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { runFaults } from './node-faults.ts';

it('three gateways on one database keep their promises over 300 faults', async () => {
  console.log(`Faults are drawn with PLUGBOARD_SEED=${SEED}.`);
  const report = await runFaults(300);
  console.log(JSON.stringify(report));
  expect(report.problems).toEqual([]);
  expect(report.answered).toBeGreaterThan(0);
}, 1_800_000);
