import { afterAll, beforeAll } from 'vitest';
import type { Spawner } from '../src/index.ts';
import { spawnerOfKind } from './fixtures/spawner.ts';
import { startThrough } from './processes.ts';
import { drainSuite } from './suite/drain.ts';
import { endingSuite } from './suite/ending.ts';
import { failureSuite } from './suite/failure.ts';
import { streamsSuite } from './suite/streams.ts';
import { terminateSuite } from './suite/terminate.ts';

// All that a spawner promises, of processes that have limits which they do not reach.
let spawner: Spawner;
beforeAll(async () => {
  spawner = await spawnerOfKind('native');
  const resources = { memoryBytes: 4 * 1024 ** 3, processes: 5_000 };
  const spawn: Spawner['spawn'] = (command, limits) => spawner.spawn({ resources, ...command }, limits);
  startThrough({ ...spawner, spawn }, true);
});
afterAll(() => spawner.close());

endingSuite();
failureSuite();
streamsSuite();
drainSuite();
terminateSuite();
