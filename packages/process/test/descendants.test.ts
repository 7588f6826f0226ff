import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { createDescendants, readPsTable } from '../src/terminate/descendants.ts';

it('the output of ps is read as a tree with start times', () => {
  const table = readPsTable(
    '    1     0 Mon Nov 16 10:00:00 2026\n   20     1 Mon Nov 16 10:00:01 2026\n   21    20 x\n\njunk\n',
  );
  expect(table.childrenOf(1)).toEqual([20]);
  expect(table.childrenOf(20)).toEqual([21]);
  expect(table.childrenOf(21)).toEqual([]);
  expect(table.startOf(20)).toBe('Mon Nov 16 10:00:01 2026');
  expect(table.startOf(99)).toBeUndefined();
});

it.runIf(process.platform !== 'win32')(
  'a process that was seen is killed after its parent has ended',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [piece] = (await once(parent.stdout, 'data')) as [Buffer];
    const grandchild = Number(piece.toString());
    onTestFinished(() => void isAlive(grandchild, 'SIGKILL'));
    const descendants = createDescendants(() => parent.pid);
    descendants.collect();
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    expect(isAlive(grandchild)).toBe(true);
    descendants.kill();
    await expect.poll(() => isAlive(grandchild)).toBe(false);
  },
);

/** A zombie is dead: the program that adopts orphans may leave it. */
function isAlive(pid: number, signal: NodeJS.Signals | 0 = 0): boolean {
  try {
    process.kill(pid, signal);
    return spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()[0] !== 'Z';
  } catch {
    return false;
  }
}
