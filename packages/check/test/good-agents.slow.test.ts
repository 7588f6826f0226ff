import { SEED, sample } from '@plugboard/testkit';
import { describe, it } from 'vitest';
import { expectGoodAgent, GOOD_AGENTS } from './good-agents.ts';

console.log(`Good agents are drawn with PLUGBOARD_SEED=${SEED}; npm run test:deep tries all of them.`);

describe.concurrent('Good agents', () => {
  it.each(sample(GOOD_AGENTS, 3))('$name', expectGoodAgent);
});
