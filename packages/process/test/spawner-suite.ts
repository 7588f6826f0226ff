import { afterAll, beforeAll } from 'vitest';
import type { Spawner } from '../src/helper/spawner.ts';
import { createTestSpawner } from './fixtures/spawner.ts';
import { useSpawner } from './processes.ts';
import { contractSuite } from './suite/contract.ts';
import { drainSuite } from './suite/drain.ts';
import { endingSuite } from './suite/ending.ts';
import { failureSuite } from './suite/failure.ts';
import { limitsSuite } from './suite/limits.ts';
import { streamsSuite } from './suite/streams.ts';
import { terminateSuite } from './suite/terminate.ts';

/** The tests that every kind of spawner must pass. */
export function spawnerSuite(kind: Spawner['kind']): void {
  let spawner: Spawner;
  beforeAll(async () => {
    spawner = await createTestSpawner(kind);
    useSpawner(spawner);
  });
  afterAll(() => spawner.close());

  contractSuite();
  endingSuite();
  failureSuite();
  streamsSuite();
  drainSuite();
  terminateSuite();
  limitsSuite();
}
