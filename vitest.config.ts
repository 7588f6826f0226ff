import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SuitesFirst } from './scripts/build/test-order.ts';

// Three projects: `unit` is fast and starts no agent of its own; `slow` runs real processes and whole programs; `deep` is long
// sweeps and large data, which `npm run test:deep` and CI run.
const slow = ['**/*.slow.test.ts'];
const deep = ['**/*.deep.test.ts'];
/** Programs of other makers, which `npm run test:agents` installs. */
const agents = ['**/*.agents.test.ts'];
const ignored = ['**/node_modules/**', '**/dist/**'];

/** Not for `unit`. In the others, processes, sockets and browsers share the machine with other work. A second try is shown as retried. */
const retry = 1;

/** Programs that tests start from their source need not be stripped and compiled by each process anew: half of a start. */
const env = { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compile') };

const propertySeed = join(import.meta.dirname, 'scripts/build/property-seed.ts');
const testContext = join(import.meta.dirname, 'scripts/build/test-context.ts');

/** `expect.poll` gives up after one second by default, which a loaded machine misses. */
const patience = { poll: { timeout: 15_000, interval: 20 } };

export default defineConfig({
  test: {
    // A good part of the time is spent waiting for processes, so that three files at a time suit even two cores.
    maxWorkers: 3,
    sequence: { sequencer: SuitesFirst },
    projects: [
      {
        test: {
          name: 'unit',
          // Modules are read once for all files: half of the time went into reading them again. No test may leave a mark on them.
          isolate: false,
          setupFiles: [testContext, propertySeed],
          expect: patience,
          include: ['**/*.test.ts'],
          exclude: [...slow, ...deep, ...agents, ...ignored],
          testTimeout: 30_000,
          env,
        },
      },
      {
        test: {
          name: 'slow',
          globalSetup: join(import.meta.dirname, 'scripts/build/before-tests.ts'),
          setupFiles: testContext,
          expect: patience,
          include: slow,
          exclude: ignored,
          // Conformance checks start dozens of processes in one test.
          testTimeout: 180_000,
          hookTimeout: 60_000,
          retry,
          env,
        },
      },
      {
        test: {
          name: 'agents',
          globalSetup: join(import.meta.dirname, 'scripts/build/changed.ts'),
          setupFiles: testContext,
          expect: patience,
          include: agents,
          exclude: ignored,
          testTimeout: 180_000,
          hookTimeout: 60_000,
          retry,
          env,
        },
      },
      {
        test: {
          name: 'deep',
          globalSetup: ['scripts/build/before-tests.ts', 'packages/store/test/large/large-store.ts'].map(
            (file) => join(import.meta.dirname, file),
          ),
          setupFiles: [testContext, propertySeed],
          expect: patience,
          include: deep,
          exclude: ignored,
          retry,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          env,
        },
      },
    ],
  },
});
