import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '@plugboard/host';
import { flood, TURN, terminalProfile } from '../agents/agents.ts';
import { giveSample } from './sample.ts';

/** Reads so many megabytes with a consumer that dawdles, and tells by how much this process grew meanwhile. */
const [kind = 'plain', megabytes = 0] = [process.argv[2], Number(process.argv[3])];
const LINE_BYTES = 1024;
const LOOK_MS = 10;

async function read(lines: number): Promise<number> {
  const run = open(terminalProfile(flood(LINE_BYTES, lines, kind)), { environment: process.env }).run(TURN);
  let events = 0;
  for await (const batch of run.batches()) {
    events += batch.length;
    await sleep(1);
  }
  return events;
}

// What the first turn loads and compiles is no growth.
await read(1024);
let peak = 0; let at: unknown; const m0 = process.memoryUsage();
const before = process.memoryUsage.rss();
const looks = setInterval(() => {
  const m = process.memoryUsage(); if (m.rss > peak) { peak = m.rss; at = m; }
}, LOOK_MS);
const events = await read(megabytes * 1024);
clearInterval(looks);
console.log(JSON.stringify({growth:(peak-before)/2**20,m0,at}));
