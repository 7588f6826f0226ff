import { SEED, sample } from '@plugboard/testkit';
import { describe, it } from 'vitest';
import { expectGoodHost, HOST_DIALECTS } from './good-hosts.ts';

console.log(`Hosts are drawn with PLUGBOARD_SEED=${SEED}; npm run test:deep tries all of them.`);

describe.concurrent('Hosts', () => {
  it.each(sample(HOST_DIALECTS, 3))('of Plugboard that speak %s pass every check', expectGoodHost);
});
