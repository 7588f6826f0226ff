import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type FakePlatform,
  type FakePlatforms,
  otherPlace,
  type PlatformName,
  startFakePlatforms,
} from '@plugboard/testkit';
import type { Part, Report } from '../method/report.ts';
import { median, quantile } from '../method/statistics.ts';

const CHATS = 1_000;
const RATIO = 2;
/** The platform that does not answer in the disturbed rounds. */
const STALLED = 'whatsapp';
/** Writes down when it was started, in nanoseconds. */
const AGENT = ['/bin/sh', '-c', 'date +%s%N >> starts; read -r line; echo done'];
/** From a message to the start of its agent, compared with the same message over HTTP. */
const START_RATIO = 1.2;
const LONGEST_MS = 180_000;

/** Many chats at once on all platforms, while one platform and one chat of each other platform do not answer. */
export const channels: Part = {
  name: 'channels',
  async run(quick): Promise<Report> {
    const chats = quick ? 100 : CHATS;
    const quiet: number[] = [];
    const disturbed: number[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      quiet.push(...(await measureRound(chats, false)));
      disturbed.push(...(await measureRound(chats, true)));
    }
    const starts = await measureStarts(quick ? 10 : 60);
    return reportOf(chats, quiet, disturbed, starts);
  },
};

function reportOf(
  chats: number,
  quiet: readonly number[],
  disturbed: readonly number[],
  starts: ReadonlyMap<string, readonly number[]>,
): Report {
  const ratio = quantile(disturbed, 0.99) / quantile(quiet, 0.99);
  const row = (name: string, times: readonly number[]) => [
    name,
    times.length,
    median(times),
    quantile(times, 0.99),
    Math.max(...times),
  ];
  const title = `From a message to its answer, in ${chats} chats that all write at once`;
  const head = ['', 'answers', 'median ms', 'p99 ms', 'most ms'];
  const rows = [row('undisturbed', quiet), row('one platform and one chat of each other stalled', disturbed)];
  const http = median(starts.get(HTTP) ?? []);
  const startRows = [...starts].map(([name, times]) => [
    name,
    median(times),
    quantile(times, 0.9),
    median(times) / http,
  ]);
  return {
    tables: [
      { title, head, rows },
      {
        title: 'From a message to the start of its agent',
        head: ['', 'median ms', 'p90 ms', '÷ HTTP'],
        rows: startRows,
      },
    ],
    bars: [
      { name: `${chats} chats: p99 disturbed ÷ undisturbed`, measured: ratio, atMost: RATIO },
      ...[...starts]
        .filter(([name]) => name !== HTTP)
        .map(([name, times]) => ({
          name: `${name}: message to start of the agent ÷ HTTP`,
          measured: median(times) / http,
          atMost: START_RATIO,
        })),
    ],
  };
}

const HTTP = 'over HTTP';

/** Milliseconds from each message to the start of its agent, by the way that it came; the ways take turns. */
async function measureStarts(rounds: number): Promise<Map<string, number[]>> {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-bench-channels-'));
  const fakes = await startFakePlatforms();
  const { child, url, token } = await startGateway(directory, fakes);
  const took = new Map<string, number[]>();
  const file = join(directory, 'starts');
  const note = async (name: string, say: () => unknown): Promise<void> => {
    const before = startsIn(file).length;
    const at = performance.timeOrigin + performance.now();
    await say();
    while (startsIn(file).length === before) await pause(1);
    const [started = 0] = startsIn(file).slice(-1);
    took.set(name, [...(took.get(name) ?? []), started - at]);
    await pause(40);
  };
  try {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const post = (path: string, body: object): Promise<Response> =>
      fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { id } = (await (await post('/api/sessions', {})).json()) as { id: string };
    for (let round = -2; round < rounds; round += 1) {
      // The first rounds open connections and sessions.
      if (round === 0) took.clear();
      await note(HTTP, () => post(`/api/sessions/${id}/messages`, { text: 'hello' }));
      for (const [name, platform] of fakes.all) await note(name, () => platform.say('hello'));
    }
    return took;
  } finally {
    child.kill('SIGKILL');
    await fakes[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** When the agents were started, in milliseconds since 1970. */
function startsIn(file: string): number[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => Number(line) / 1e6);
}

/** Milliseconds until the answer, in the chats of the platforms that are not stalled. */
async function measureRound(chats: number, isDisturbed: boolean): Promise<number[]> {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-bench-channels-'));
  const fakes = await startFakePlatforms();
  const { child } = await startGateway(directory, fakes);
  try {
    const each = Math.floor(chats / fakes.all.size);
    if (isDisturbed) stall(fakes);
    const waits = [...fakes.all].map(([name, platform]) => {
      const isWatched = name !== STALLED;
      return measureChats(name, platform, each, { isWatched, stalled: isDisturbed ? 1 : 0 });
    });
    return (await Promise.all(waits)).flat();
  } finally {
    child.kill('SIGKILL');
    await fakes[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
}

async function startGateway(directory: string, fakes: FakePlatforms): Promise<Started> {
  const agents = { done: { dialect: 'terminal', command: AGENT } };
  const config = { agents, channels: fakes.channelsIn(directory), limits: { waiting: 10_000 } };
  writeFileSync(join(directory, 'plugboard.yaml'), JSON.stringify(config), { mode: 0o600 });
  const program = join(import.meta.dirname, '../../packages/cli/bin/plugboard.js');
  const args = [program, 'up', '--port', '0', '--data', join(directory, 'data')];
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const chunk of child.stdout) {
    const url = /^http:\S+/m.exec(String(chunk))?.[0];
    if (url === undefined) continue;
    fakes.connect(url);
    return { child, url, token: await waitUntilReady(url, join(directory, 'data', 'gateway.json')) };
  }
  throw new Error('The gateway did not start.');
}

/** Resolves to the token of the operator. Discord hands on nothing of before its first connection. */
async function waitUntilReady(url: string, instanceFile: string): Promise<string> {
  const { token } = JSON.parse(readFileSync(instanceFile, 'utf8')) as { token: string };
  for (;;) {
    const response = await fetch(`${url}/api/channels`, { headers: { authorization: `Bearer ${token}` } });
    const { channels: all } = (await response.json()) as { channels: { state: string }[] };
    if (all.every(({ state }) => state === 'ready')) return token;
    await pause(50);
  }
}

/** One platform takes no message, and each other one asks the first chat to wait. */
function stall({ all }: FakePlatforms): void {
  for (const [name, { server, place }] of all) {
    const isSend = ({ method }: { readonly method: string }): boolean => method === 'POST';
    if (name === STALLED) server.trouble('hang', isSend, Number.POSITIVE_INFINITY);
    else
      server.trouble(
        { delayMs: 20_000 },
        (call) => isSend(call) && `${call.path} ${call.body}`.includes(place),
        Number.POSITIVE_INFINITY,
      );
  }
}

/** The first `stalled` chats are not measured. */
async function measureChats(
  name: PlatformName,
  platform: FakePlatform,
  chats: number,
  { isWatched, stalled }: { readonly isWatched: boolean; readonly stalled: number },
): Promise<number[]> {
  const started = performance.now();
  const places = Array.from({ length: chats }, (_, at) => (at === 0 ? platform.place : otherPlace(name, at)));
  for (const place of places) platform.say('hello', { place });
  if (!isWatched) return [];
  const waiting = new Set(places.slice(stalled));
  const took: number[] = [];
  while (waiting.size > 0) {
    if (performance.now() - started > LONGEST_MS) throw new Error(`${waiting.size} chats were not answered.`);
    for (const place of waiting) {
      if (platform.shown(place).length === 0) continue;
      took.push(performance.now() - started);
      waiting.delete(place);
    }
    await pause(5);
  }
  return took;
}
