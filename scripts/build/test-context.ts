import { aroundEach } from 'vitest';
import { runTest } from '../../packages/testkit/src/test-end.ts';

aroundEach(runTest);
