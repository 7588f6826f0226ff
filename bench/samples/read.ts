import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { open, type Run } from '@plugboard/host';
import { flood, TURN, terminalProfile } from '../agents/agents.ts';
import { cpuMs, giveSample } from './sample.ts';

/** Reads a flood of lines in one of several ways, once to warm up and once to be measured. */
const [way = '', bytes = 0, count = 0, kind = ''] = [
  process.argv[2],
  Number(process.argv[3]),
  Number(process.argv[4]),
  process.argv[5],
];

interface Reading {
  readonly items: number;
  /** From the first of them to the end. */
  readonly ms: number;
}

type Way = (lines: number) => Promise<Reading>;

/** Starts the clock with the first item, so that the start of the producer is not counted. */
function counter() {
  let items = 0;
  let started = 0;
  return {
    add(more: number): void {
      started ||= performance.now();
      items += more;
    },
    end: (): Reading => ({ items, ms: performance.now() - started }),
  };
}

function produce(lines: number) {
  const [file = '', ...args] = flood(bytes, lines, kind);
  return spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout;
}

const raw: Way = (lines) => {
  const count = counter();
  const stdout = produce(lines);
  stdout.on('data', () => count.add(1));
  return new Promise((resolve) => stdout.on('end', () => resolve(count.end())));
};

/** Decodes and parses lines that lie in memory already, each a buffer of its own. */
const memory: Way = async (lines) => {
  const ready = await sampleLines();
  const count = counter();
  for (let line = 0; line < lines; line += 1) {
    const buffer = ready[line % ready.length];
    if (buffer !== undefined && JSON.parse(buffer.toString('utf8')) !== null) count.add(1);
  }
  return count.end();
};

async function sampleLines(): Promise<Buffer[]> {
  const wanted = Math.max(1, Math.min(512, Math.floor((4 * 1024 * 1024) / bytes)));
  const chunks: Buffer[] = [];
  for await (const chunk of produce(wanted)) chunks.push(chunk as Buffer);
  const all = Buffer.concat(chunks);
  return Array.from({ length: wanted }, (_, at) =>
    Buffer.from(all.subarray(at * bytes, (at + 1) * bytes - 1)),
  );
}

const readline: Way = (lines) => {
  const count = counter();
  const reader = createInterface({ input: produce(lines), crlfDelay: Number.POSITIVE_INFINITY });
  reader.on('line', (line) => {
    if (JSON.parse(line) !== null) count.add(1);
  });
  return new Promise((resolve) => reader.on('close', () => resolve(count.end())));
};

function runFlood(lines: number): Run {
  const lineBytes = Math.max(bytes + 1024, 8 * 1024 * 1024);
  const profile = terminalProfile(flood(bytes, lines, kind), { lineBytes });
  return open(profile, { environment: process.env }).run(TURN);
}

const events: Way = async (lines) => {
  const count = counter();
  for await (const event of runFlood(lines)) if (event.type === 'progress') count.add(1);
  return count.end();
};

const batches: Way = async (lines) => {
  const count = counter();
  for await (const batch of runFlood(lines).batches()) {
    for (const event of batch) if (event.type === 'progress') count.add(1);
  }
  return count.end();
};

const ways: Readonly<Record<string, Way>> = { raw, memory, readline, events, batches };
const read = ways[way] ?? raw;
await read(count);
const wall = performance.now();
const before = cpuMs();
const { items, ms } = await read(count);
const cpu = cpuMs() - before;
if (way !== 'raw' && items !== count) throw new Error(`${way}: ${items} of ${count} lines came.`);
giveSample({ cpu, ms, wall: performance.now() - wall });
