import { describe, expect, it } from 'vitest';
import { mapInOrder } from '../../src/indexing/map-in-order.ts';

/** Work whose items the test finishes. */
function createControlledWork() {
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
  it('mapInOrder yields results in the order of its items', async () => {
    const { work, finish } = createControlledWork();
    const taken: number[] = [];
    const loop = (async () => {
      for await (const result of mapInOrder([1, 2, 3], work, { jobs: 3, ahead: 9 })) taken.push(result);
    })();
    for (const item of [3, 2, 1]) finish(item);
    await loop;
    expect(taken).toEqual([10, 20, 30]);
  });

  it('mapInOrder respects the limits jobs and ahead', async () => {
    const { begun, work, finish } = createControlledWork();
    const results = mapInOrder([1, 2, 3, 4, 5, 6], work, { jobs: 2, ahead: 3 });
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

  it('mapInOrder waits for running work when its loop is left', async () => {
    const { begun, work, finish } = createControlledWork();
    const results = mapInOrder([1, 2, 3], work, { jobs: 2, ahead: 9 });
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
