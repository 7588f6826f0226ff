import { describe, it } from 'vitest';
import { expectGoodAgent, GOOD_AGENTS } from './good-agents.ts';

describe.concurrent('Good agents', () => {
  it.each(GOOD_AGENTS)('$name', expectGoodAgent);
});
