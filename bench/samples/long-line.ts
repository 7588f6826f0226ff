import { open } from '@plugboard/host';
import { flood, TURN, terminalProfile } from '../agents/agents.ts';
import { giveSample } from './sample.ts';

/** Reads one line of so many megabytes, several times, and tells what one megabyte took. */
const megabytes = Number(process.argv[2]);
const bytes = megabytes * 1024 * 1024;
const TOTAL_MEGABYTES = 128;

async function read(times: number): Promise<void> {
  const profile = terminalProfile(flood(bytes, times, 'plain'), { lineBytes: bytes + 1024 });
  let lines = 0;
  for await (const event of open(profile, { environment: process.env }).run(TURN)) {
    if (event.type === 'progress') lines += 1;
  }
  if (lines !== times) throw new Error(`${lines} of ${times} lines came.`);
}

const times = TOTAL_MEGABYTES / megabytes;
await read(times);
const started = performance.now();
await read(times);
giveSample({ perMegabyte: (performance.now() - started) / TOTAL_MEGABYTES });
