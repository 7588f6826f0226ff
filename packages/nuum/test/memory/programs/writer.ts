import { writeSync } from 'node:fs';
import { openMemory } from '../../../src/memory/open.ts';

/** Appends to a memory for ever, and prints the number of each message once it may rely on it. */
const [file = ''] = process.argv.slice(2);
const memory = openMemory(file, { now: Date.now });
writeSync(1, `session ${memory.session}\n`);
for (let n = 0; ; n += 1) {
  const numbers = memory.messages.appendAll([
    { kind: 'call', callId: 'c', name: 'bash', input: { command: `echo ${n}` } },
    { kind: 'result', callId: 'c', content: `said ${n} ${'x'.repeat(n % 3_000)}`, isError: false },
  ]);
  for (const number of numbers) writeSync(1, `${number}\n`);
}
