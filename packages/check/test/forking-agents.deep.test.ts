import { describe, it } from 'vitest';
import { DIALECTS, expectNothingLeft, idsOf } from './forking-agents.ts';

describe.concurrent('An agent that moves processes into new sessions', () => {
  it.each(DIALECTS)('leaves none of them behind after any case of %s', (dialect) =>
    expectNothingLeft(dialect, idsOf(dialect)),
  );
});
