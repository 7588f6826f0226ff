import { afterAll, beforeAll } from 'vitest';
import type { Spawner } from '../src/helper/spawner.ts';
import { createTestSpawner } from './fixtures/spawner.ts';
import { useSpawner } from './processes.ts';
import { drainSuite } from './suite/drain.ts';
import { endingSuite } from './suite/ending.ts';
import { failureSuite } from './suite/failure.ts';
import { streamsSuite } from './suite/streams.ts';
import { terminateSuite } from './suite/terminate.ts';

// The spawner suite, with limits that its processes do not reach.
let spawner: Spawner;
beforeAll(async () => {
  spawner = await createTestSpawner('native');
  const resources = { memoryBytes: 4 * 1024 ** 3, processes: 5_000 };
  const spawn: Spawner['spawn'] = (command, limits) => spawner.spawn({ resources, ...command }, limits);
  useSpawner({ ...spawner, spawn }, true);
});
afterAll(() => spawner.close());

endingSuite();
failureSuite();
streamsSuite();
drainSuite();
terminateSuite();
