import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { listRows } from '@plugboard/sqlite';
import { createRandom, SEED, temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { openMemory } from '../../src/memory/open.ts';

/** Lets a process write for a while after its first line, kills it, and gives the lines that it printed. */
async function writeAndDie(file: string, forMs: number): Promise<string[]> {
  const program = join(import.meta.dirname, 'programs/writer.ts');
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => {
    if (lines.push(line) === 1) setTimeout(() => child.kill('SIGKILL'), forMs);
  });
  await once(output, 'close');
  return lines;
}

it('loses nothing that was acknowledged, however often the process is killed', async () => {
  using home = temporaryDirectory();
  const file = join(home.path, 'agent.db');
  const sessions = new Set<string>();
  const acknowledged: number[] = [];
  const random = createRandom(SEED);
  for (let round = 0; round < 12; round += 1) {
    const [session = '', ...numbers] = await writeAndDie(file, random() * 100);
    sessions.add(session);
    acknowledged.push(...numbers.map(Number));
    const memory = openMemory(file, { now: Date.now });
    const kept = new Set(
      listRows<{ number: number }>(memory.connection, 'select number from messages').map(
        ({ number }) => number,
      ),
    );
    expect(acknowledged.filter((number) => !kept.has(number))).toEqual([]);
    expect(listRows(memory.connection, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(memory.messages.count).toBe(kept.size);
    // A call and its result were written together.
    expect(kept.size % 2).toBe(0);
    memory.close();
  }
  expect(sessions.size).toBe(1);
  // How much a writer writes in 50 ms depends on the machine; some of them must have written.
  expect(acknowledged.length).toBeGreaterThan(12);
});

it('names the process that has the memory to another one, and is given it when that dies', async () => {
  using home = temporaryDirectory();
  const file = join(home.path, 'agent.db');
  const program = join(import.meta.dirname, 'programs/writer.ts');
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.stdout.resume();
  expect(() => openMemory(file, { now: Date.now })).toThrow(
    `The memory ${file} is in use by process ${child.pid}; one database is one agent.`,
  );
  const reader = openMemory(file, { now: Date.now, readOnly: true });
  expect(reader.session).toMatch(/^nuum_/);
  reader.close();
  child.kill('SIGKILL');
  await once(child, 'close');
  openMemory(file, { now: Date.now }).close();
});
