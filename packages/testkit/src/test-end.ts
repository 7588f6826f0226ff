import { AsyncLocalStorage } from 'node:async_hooks';

type End = () => void | PromiseLike<void>;

/** The part of the `TestContext` of Vitest that `onTestEnd` needs. */
interface RunningTest {
  onTestFinished(end: End): void;
}

const tests = new AsyncLocalStorage<RunningTest>();

/** Runs a test so that `onTestEnd` knows it; `scripts/build/test-context.ts` does so for every test. */
export function runTest(run: () => Promise<void>, test: RunningTest): Promise<void> {
  return tests.run(test, run);
}

/** As `onTestFinished` of Vitest, but also for concurrent tests: there, Vitest takes the test that began last. */
export function onTestEnd(end: End): void {
  const test = tests.getStore();
  if (test === undefined) throw new Error('onTestEnd was called outside of a test.');
  test.onTestFinished(end);
}
