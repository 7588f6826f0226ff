import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { withLock } from '../../src/project/lock.ts';

describe('the lock of a project', () => {
  it('only one action at a time has the lock of a project', async () => {
    using directory = temporaryDirectory();
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
    };
    const patience = { attempts: 200, pauseMs: 5 };
    await Promise.all(['a', 'b', 'c'].map((name) => withLock(directory.path, work(name), patience)));
    for (let at = 0; at < 6; at += 2) expect(order[at]?.[0]).toBe(order[at + 1]?.[0]);
  });

  it('withLock waits for the lock, then fails', async () => {
    using directory = temporaryDirectory();
    await withLock(directory.path, async () => {
      const second = withLock(directory.path, () => 'in', { attempts: 2, pauseMs: 1 });
      await expect(second).rejects.toThrow('Another nib is writing');
    });
    await expect(withLock(directory.path, () => 'in')).resolves.toBe('in');
  });

  it('withLock releases the lock when the action fails', async () => {
    using directory = temporaryDirectory();
    await expect(withLock(directory.path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(withLock(directory.path, () => 'in', { attempts: 1, pauseMs: 1 })).resolves.toBe('in');
  });
});
