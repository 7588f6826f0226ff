import { spawn as bareSpawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { collectOutput, createTag, kind, onLinux, shell, until } from '../processes.ts';

const tag = createTag();
afterEach(() => {
  for (const pid of onLinux ? tag.living() : []) process.kill(pid, 'SIGKILL');
});

async function started(script: string, killGraceMs: number) {
  const child = shell(script, { killGraceMs }, { env: tag.env });
  const output = collectOutput(child);
  await until(() => output.text().includes('up'), 'started');
  return { child, output };
}

/** Tests of `stop` and of leftover processes. */
export function terminateSuite(): void {
  describe('stopping a process', () => {
    it('`stop` sends SIGTERM first, and SIGKILL after the grace', async () => {
      const { child, output } = await started(
        'trap "echo asked" TERM; echo up; while :; do sleep 0.05; done',
        1000,
      );
      const begun = performance.now();
      child.stop('timeout');
      await until(() => output.text().includes('asked'), 'asked');
      const asked = performance.now() - begun;
      await expect(child.ended).resolves.toMatchObject({
        cause: 'timeout',
        signal: 'SIGKILL',
        exitCode: 124,
      });
      const killed = performance.now() - begun;
      expect(asked).toBeLessThan(900);
      expect(killed).toBeGreaterThan(990);
      expect(killed).toBeLessThan(5000);
    });

    it('`stop` closes stdin first and gives the process time to exit by itself', async () => {
      const { child } = await started('trap "exit 9" TERM; echo up; cat; exit 4', 5000);
      child.stop('cancel', { inputGraceMs: 30_000 });
      await expect(child.ended).resolves.toMatchObject({ cause: 'cancel', code: 4, exitCode: 130 });
    });

    it('a second stop without grace kills at once', async () => {
      const { child } = await started('trap "" TERM; echo up; while :; do sleep 0.05; done', 60_000);
      child.stop('cancel');
      child.stop('timeout', { graceMs: 0 });
      await expect(child.ended).resolves.toMatchObject({ cause: 'cancel', signal: 'SIGKILL', exitCode: 130 });
    });

    it('a stopped (SIGSTOP) process still gets to act on SIGTERM', async () => {
      const { child } = await started('trap "exit 5" TERM; echo up; while :; do sleep 0.05; done', 30_000);
      // Output may come before the helper's report of the pid; 0 would stop the test run itself.
      await until(() => child.pid() !== undefined, 'its pid is known');
      process.kill(child.pid() ?? Number.NaN, 'SIGSTOP');
      child.stop('cancel');
      await expect(child.ended).resolves.toMatchObject({ code: 5 });
    });

    it('`ended` settles after a stop even without a reader', async () => {
      const child = shell('echo up; yes', { killGraceMs: 100, drainMs: 100 }, { env: tag.env });
      await until(() => (child.stdout?.readableLength ?? 0) > 0, 'output');
      child.stop('cancel');
      await expect(child.ended).resolves.toMatchObject({ cause: 'cancel' });
      expect(child.stdout?.destroyed).toBe(true);
    });

    it('a reader that has stopped reading does not delay a stop', async () => {
      const child = shell('yes', { killGraceMs: 0, drainMs: 100 }, { env: tag.env });
      child.stdout?.once('data', () => child.stdout?.pause());
      await until(() => (child.stdout?.readableLength ?? 0) > 0, 'output held');
      child.stop('limit');
      await expect(child.ended).resolves.toMatchObject({ cause: 'limit', signal: 'SIGKILL' });
    });

    it('`stop` ends a wait for a slow reader that began before it', async () => {
      const child = shell('echo written', { drainMs: 100 }, { env: tag.env });
      child.stdout?.pause();
      await child.exited;
      child.stop('cancel');
      await expect(child.ended).resolves.toMatchObject({ cause: 'exit', code: 0 });
    });
  });

  describe.runIf(onLinux)('nothing is left behind', () => {
    it('a stop leaves no grandchildren that ignore SIGTERM behind', async () => {
      const one = '(trap "" TERM; while :; do sleep 0.2; done) &';
      const { child } = await started(`${one} ${one} ${one} echo up; wait`, 300);
      expect(tag.living().length).toBeGreaterThan(3);
      child.stop('timeout');
      await child.ended;
      await until(() => tag.living().length === 0, 'all gone');
    });

    it('a clean exit leaves no background jobs behind, also when they hold no pipe', async () => {
      const { child } = await started('sleep 600 >/dev/null 2>&1 </dev/null & echo up', 1000);
      await expect(child.ended).resolves.toMatchObject({ cause: 'exit', code: 0 });
      await until(() => tag.living().length === 0, 'all gone');
    });

    it('a signal to the group alone leaves a grandchild in a session of its own', async () => {
      const bare = bareSpawn('sh', ['-c', 'setsid sleep 600 >/dev/null 2>&1 & sleep 600'], {
        detached: true,
        env: tag.env,
      });
      await until(() => sleepers() === 2, 'both started');
      process.kill(-(bare.pid ?? 0), 'SIGKILL');
      await once(bare, 'exit');
      await until(() => sleepers() === 1, 'one left');
      expect(tag.living()).toHaveLength(1);
    });

    it('a stop leaves no grandchild in a session of its own behind', async () => {
      const { child } = await started('setsid sleep 600 >/dev/null 2>&1 & echo up; sleep 600', 300);
      await until(() => sleepers() === 2, 'both started');
      child.stop('cancel');
      await child.ended;
      await until(() => tag.living().length === 0, 'all gone');
    });

    it('a stop ends a grandchild in a session of its own that has cleared its environment', async () => {
      // A duration of its own, by which this process is found: other test files run the same suite at the same time.
      const duration = `600.${randomInt(2 ** 31)}`;
      const inner = `env -i PATH="$PATH" setsid sleep ${duration}`;
      const { child } = await started(`${inner} >/dev/null 2>&1 & echo up; exec sleep 600`, 300);
      const left = (): number[] => pidsOf((line) => line.startsWith('sleep') && line.includes(duration));
      await until(() => left().length === 1, 'the grandchild');
      child.stop('cancel');
      await child.ended;
      await until(() => left().length === 0, 'all gone');
    });

    it('a death by a signal leaves no double fork into a session of its own behind', async () => {
      const { child } = await started('setsid sh -c "sleep 600 & sleep 600 & echo up"; kill -KILL $$', 300);
      await expect(child.ended).resolves.toMatchObject({ cause: 'signal' });
      await until(() => tag.living().length === 0, 'all gone');
    });

    it('a stop ends the children of a nested host that died', async () => {
      const host = new URL('../fixtures/host.ts', import.meta.url).pathname;
      const { child } = await started(`exec '${process.execPath}' '${host}' ${kind()}`, 0);
      await until(() => sleepers() === 1, 'child of the child');
      child.stop('cancel');
      await child.ended;
      await until(() => tag.living().length === 0, 'all gone');
    });
  });
}

function sleepers(): number {
  return tag.living().filter((pid) => commandOf(pid).startsWith('sleep')).length;
}

function pidsOf(isMeant: (line: string) => boolean): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => isMeant(commandOf(pid)));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
