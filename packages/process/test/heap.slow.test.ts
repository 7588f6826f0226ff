import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const HEAP = join(import.meta.dirname, '..', 'src', 'heap.ts');

/** Allocates like a busy program, with some long-lived objects, and prints the peak sizes of V8's heap. */
const BUSY = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const kept = [];
  let old = 0;
  const sizeOf = (name) => getHeapSpaceStatistics().find((space) => space.space_name === name).space_size;
  for (let round = 0; round < 500; round += 1) {
    for (let item = 0; item < 5_000; item += 1) kept[item + (round % 8) * 5_000] = { round, text: 'x' + item, more: [item] };
    await new Promise(setImmediate);
    old = Math.max(old, sizeOf('old_space'));
  }
  console.log(JSON.stringify({ young: sizeOf('new_space'), old }));
`;

async function busyWith(bounds: string): Promise<{ young: number; old: number }> {
  const script = `import { boundYoungGeneration, collectOldGenerationEarly } from ${JSON.stringify(HEAP)}; ${bounds} ${BUSY}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout);
}

test('a busy process keeps its young generation small once it is bounded, and its old one when it is collected early', async () => {
  const [free, bound, early] = await Promise.all([
    busyWith(''),
    busyWith('boundYoungGeneration();'),
    busyWith('boundYoungGeneration(); collectOldGenerationEarly();'),
  ]);
  expect(free.young).toBeGreaterThan(32 * 2 ** 20);
  expect(bound.young).toBeLessThanOrEqual(free.young / 2);
  expect(early.old).toBeLessThan(bound.old * 0.8);
});

test('a process that ends while its heap is watched is not kept alive', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { boundYoungGeneration } from ${JSON.stringify(HEAP)}; boundYoungGeneration(); console.log('done');`,
    ],
    { timeout: 10_000 },
  );
  expect(stdout).toBe('done\n');
});
