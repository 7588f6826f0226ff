import { afterAll, beforeAll } from 'vitest';
import type { Spawner } from '../src/index.ts';
import { spawnerOfKind } from './fixtures/spawner.ts';
import { startThrough } from './processes.ts';
import { contractSuite } from './suite/contract.ts';
import { drainSuite } from './suite/drain.ts';
import { endingSuite } from './suite/ending.ts';
import { failureSuite } from './suite/failure.ts';
import { limitsSuite } from './suite/limits.ts';
import { streamsSuite } from './suite/streams.ts';
import { terminateSuite } from './suite/terminate.ts';

/** All that a spawner promises, whatever its kind. */
export function spawnerSuite(kind: Spawner['kind']): void {
  let spawner: Spawner;
  beforeAll(async () => {
    spawner = await spawnerOfKind(kind);
    startThrough(spawner);
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
