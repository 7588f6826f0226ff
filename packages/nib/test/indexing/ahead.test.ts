import { describe, expect, it } from 'vitest';
import { inOrder } from '../../src/indexing/ahead.ts';

/** Work that is finished from outside. */
function workshop() {
  const begun: number[] = [];
  const finish = new Map<number, () => void>();
  const work = (item: number): Promise<number> => {
    begun.push(item);
    return new Promise((resolve) => finish.set(item, () => resolve(item * 10)));
  };
  return { begun, work, finish: (item: number) => finish.get(item)?.() };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('work done ahead', () => {
  it('comes in the order of its items, whichever is done first', async () => {
    const { work, finish } = workshop();
    const taken: number[] = [];
    const loop = (async () => {
      for await (const result of inOrder([1, 2, 3], work, { jobs: 3, ahead: 9 })) taken.push(result);
    })();
    for (const item of [3, 2, 1]) finish(item);
    await loop;
    expect(taken).toEqual([10, 20, 30]);
  });

  it('has so many under way at a time, and no more wait to be taken than allowed', async () => {
    const { begun, work, finish } = workshop();
    const results = inOrder([1, 2, 3, 4, 5, 6], work, { jobs: 2, ahead: 3 });
    const first = results.next();
    await settled();
    expect(begun).toEqual([1, 2]);
    finish(2);
    await settled();
    expect(begun).toEqual([1, 2, 3]);
    finish(3);
    await settled();
    expect(begun).toEqual([1, 2, 3]);
    finish(1);
    expect((await first).value).toBe(10);
    const second = await results.next();
    expect(second.value).toBe(20);
    expect(begun).toEqual([1, 2, 3, 4]);
    const leaving = results.return(undefined);
    finish(4);
    await leaving;
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it('waits for what is under way when nobody takes it any more', async () => {
    const { begun, work, finish } = workshop();
    const results = inOrder([1, 2, 3], work, { jobs: 2, ahead: 9 });
    const first = results.next();
    finish(1);
    await first;
    let left = false;
    const leaving = results.return(undefined).then(() => {
      left = true;
    });
    await settled();
    expect(left).toBe(false);
    for (const item of begun) finish(item);
    await leaving;
    expect(left).toBe(true);
  });
});
