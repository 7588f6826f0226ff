import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { waitUntilIdle } from '../src/observe/idle.ts';

/** A process group whose leader computes for `ms`, prints a line and then waits for input. */
function computeFor(ms: number): { pid: number; printed: Promise<unknown> } {
  const code = `const until = Date.now() + ${ms}; while (Date.now() < until); console.log('ready'); process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', code], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { pid: child.pid ?? 0, printed: once(child.stdout, 'data') };
}

it.runIf(process.platform === 'linux')('a process that computes is not taken for an idle one', async () => {
  const { pid, printed } = computeFor(700);
  let isReady = false;
  void printed.then(() => {
    isReady = true;
  });
  await waitUntilIdle(pid);
  expect(isReady).toBe(true);
});

it('a process group that has ended is idle', async () => {
  await waitUntilIdle(2 ** 30);
});
