import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Child } from '../src/child.ts';
import type { Ending } from '../src/ending.ts';
import { createPool, type Pool, type PoolOptions } from '../src/prewarm/pool.ts';
import { spawn } from '../src/spawn.ts';
import { collectOutput, createTag, onLinux, shell, until } from './processes.ts';

const tag = createTag();
const open: Pool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
  if (onLinux) await until(() => tag.living().length === 0, 'nothing left');
});

function pool(script: string, options: Partial<PoolOptions> = {}) {
  const started: Child[] = [];
  const start = (): Child => {
    const child = shell(script, {}, { env: tag.env });
    started.push(child);
    return child;
  };
  const made = createPool({ size: 2, start, ...options });
  open.push(made);
  return { pool: made, started };
}

const ECHO = 'read line; echo "got $line"';

describe('a pool', () => {
  it('a pool hands out waiting processes, the oldest first', async () => {
    const { pool: warm, started } = pool(ECHO);
    await warm.warm();
    expect(warm.waiting).toBe(2);
    const child = warm.take();
    expect(child).toBe(started[0]);
    if (child === undefined) throw new Error('nothing waiting');
    const output = collectOutput(child);
    child.write('hello\n');
    await expect(child.ended).resolves.toMatchObject({ cause: 'exit', code: 0 });
    expect(output.text()).toBe('got hello\n');
  });

  it('a pool refills itself, but not within the turn that took a process', async () => {
    const { pool: warm, started } = pool(ECHO);
    await warm.warm();
    const child = warm.take();
    expect([warm.waiting, started.length]).toEqual([1, 2]);
    await until(() => warm.waiting === 2, 'filled again');
    expect(started).toHaveLength(3);
    child?.stop('cancel');
    await child?.ended;
  });

  it('a pool is refilled although `take` calls keep coming', async () => {
    const { pool: warm, started } = pool('read line', { size: 1 });
    await warm.warm();
    for (let count = 0; count < 30; count += 1) {
      warm.take()?.closeInput();
      await sleep(20);
    }
    expect(started.length).toBeGreaterThan(3);
  });

  it('an empty pool hands out undefined', async () => {
    const { pool: warm } = pool(ECHO, { size: 1 });
    await warm.warm();
    const child = warm.take();
    expect(warm.take()).toBeUndefined();
    child?.stop('cancel');
    await child?.ended;
  });

  it('a pool drops a process that died while waiting, also with unread output', async () => {
    const { pool: warm, started } = pool(`echo unread; ${ECHO}`, { size: 1 });
    await warm.warm();
    process.kill(started[0]?.pid() ?? 0, 'SIGKILL');
    await until(() => started.length === 2 && warm.waiting === 1, 'replaced');
    const child = warm.take();
    expect(child).toBe(started[1]);
    child?.stop('cancel');
  });

  it('a pool replaces a process that has waited too long', async () => {
    const { pool: warm, started } = pool('cat', { size: 1, maxIdleMs: 300 });
    await warm.warm();
    await until(() => started.length >= 2, 'replaced');
    await started[0]?.ended;
    expect(warm.waiting).toBe(1);
  });

  it.each([1, 4])(
    'a pool of %i stops after three early deaths in a row and calls onError once',
    async (size) => {
      const errors: Ending[] = [];
      const { pool: warm, started } = pool('echo usage; exit 9', {
        size,
        onError: (ending) => errors.push(ending),
      });
      await until(() => errors.length === 1, 'reported');
      const count = started.length;
      await warm.warm();
      await until(() => errors.length === 2, 'tried again when asked, and reported again');
      expect(count).toBeLessThanOrEqual(size + 3);
      expect(errors[0]).toMatchObject({ cause: 'exit', code: 9 });
      await until(() => warm.waiting === 0, 'the last one died too');
      expect(warm.take()).toBeUndefined();
      expect(errors).toHaveLength(2);
    },
  );

  it('a pool that cannot start its program gives up, and `warm` resolves', async () => {
    const errors: Ending[] = [];
    let starts = 0;
    const broken = createPool({
      size: 3,
      onError: (ending) => errors.push(ending),
      start: () => {
        starts += 1;
        return spawn({ file: '/no/such/program', args: [], env: {} });
      },
    });
    await broken.warm();
    expect([broken.waiting, starts]).toEqual([0, 3]);
    await until(() => errors.length > 0, 'reported');
    expect(errors).toMatchObject([{ cause: 'spawn', failure: { code: 'not-found' } }]);
    await broken.close();
  });

  it('a pool that has given up tries again with a turn a minute later', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'process-pool-'));
    const mended = join(scratch, 'mended');
    const errors: Ending[] = [];
    const { pool: warm } = pool(`test -e ${mended} || exit 9; ${ECHO}`, {
      size: 1,
      onError: (ending) => errors.push(ending),
    });
    await until(() => errors.length === 1, 'given up');
    writeFileSync(mended, '');
    expect(warm.take()).toBeUndefined();
    await sleep(200);
    expect(warm.waiting).toBe(0);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    try {
      expect(warm.take()).toBeUndefined();
      await until(() => warm.waiting === 1, 'one waits again');
    } finally {
      clock.mockRestore();
      rmSync(scratch, { recursive: true });
    }
  });

  it('closing a pool ends all waiting processes, also those that ignore the end of input', async () => {
    const { pool: warm, started } = pool('trap "" HUP; while :; do sleep 0.05; done');
    await warm.warm();
    await warm.close();
    expect([warm.waiting, warm.take()]).toEqual([0, undefined]);
    const endings = await Promise.all(started.map((child) => child.ended));
    expect(endings.map(({ cause }) => cause)).toEqual(['cancel', 'cancel']);
    await warm.warm();
    expect(started).toHaveLength(2);
  });
});
