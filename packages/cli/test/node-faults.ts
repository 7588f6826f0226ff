import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRandom,
  type PostgresServer,
  SEED,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
  until,
} from '@plugboard/testkit';
import { type Home, home, type Logged, shellAgent, type Up } from './gateway.ts';

/*
 * Three gateways on one Postgres, each behind a proxy of its own, while messages come in at all of them and things break.
 * Afterwards the logs are compared with what was acknowledged and with a file in which the agent writes each message that it
 * is given: a witness that knows nothing of the store.
 */

/** What was counted. `problems` is empty when all promises were kept. */
export interface FaultReport {
  readonly faults: Readonly<Record<string, number>>;
  readonly messages: number;
  readonly answered: number;
  readonly interrupted: number;
  readonly problems: readonly string[];
}

const NAMES = ['north', 'south', 'west'] as const;
type Name = (typeof NAMES)[number];

interface Node {
  readonly place: Home;
  readonly proxy: TcpProxy;
  up: Up;
}

interface Bench {
  readonly server: PostgresServer;
  readonly nodes: Readonly<Record<Name, Node>>;
  readonly random: () => number;
  /** Names of gateways that take no requests at the moment. */
  readonly away: Set<Name>;
}

const SESSIONS = 12;
const TALKERS = 4;

export async function runFaults(count: number): Promise<FaultReport> {
  await using server = await startPostgres();
  const bench = await startBench(server);
  try {
    const acknowledged = new Map<string, string[]>();
    const isOver = { value: false };
    const sessions = await openSessions(bench);
    const talking = Array.from({ length: TALKERS }, (_, talker) =>
      talk(bench, sessions, talker, acknowledged, isOver),
    );
    const faults: Record<string, number> = {};
    for (let n = 0; n < count; n += 1) {
      const kind = chooseFault(bench.random, n);
      faults[kind] = (faults[kind] ?? 0) + 1;
      await FAULTS[kind]?.(bench, pick(NAMES, bench.random));
      await sleep(100 + 300 * bench.random());
    }
    isOver.value = true;
    await Promise.all(talking);
    return { faults, ...(await inspect(bench, acknowledged)) };
  } finally {
    for (const { place, proxy } of Object.values(bench.nodes)) {
      await place[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    }
  }
}

async function startBench(server: PostgresServer): Promise<Bench> {
  const database = new URL(await server.createDatabase());
  const nodes: Partial<Record<Name, Node>> = {};
  for (const name of NAMES) {
    const proxy = await startTcpProxy(server.port);
    database.port = `${proxy.port}`;
    const place = home();
    place.write(configuration(database.href));
    nodes[name] = { place, proxy, up: await place.up('--node', name) };
  }
  return { server, nodes: nodes as Record<Name, Node>, random: createRandom(SEED), away: new Set() };
}

/** Each gateway runs the agent in its own place: the witnesses are read together. */
function configuration(url: string): string {
  const agent = shellAgent(
    'echo "$AGENT_MESSAGE" >> witness; sleep 0.0$(($$ % 9)); echo "answer to $AGENT_MESSAGE"',
  );
  return `server: { requests_per_minute: 1000000 }\nagents: { echo: ${agent} }\nlimits: { agents: 4, grace_secs: 5 }\nstore: ${url}\n`;
}

async function openSessions({ nodes }: Bench): Promise<string[]> {
  const { up } = nodes.north;
  return Promise.all(
    Array.from(
      { length: SESSIONS },
      async () => (await up.api<{ id: string }>('POST', '/api/sessions', {})).json.id,
    ),
  );
}

/** Sends one message after the other, each until a gateway acknowledges it. */
async function talk(
  { nodes, random, away }: Bench,
  sessions: readonly string[],
  talker: number,
  acknowledged: Map<string, string[]>,
  isOver: { readonly value: boolean },
): Promise<void> {
  const own = sessions.filter((_, index) => index % TALKERS === talker);
  for (let n = 0; !isOver.value; n += 1) {
    const session = pick(own, random);
    const text = `t${talker}m${n}`;
    for (;;) {
      const there = NAMES.filter((name) => !away.has(name));
      const name = pick(there.length > 0 ? there : NAMES, random);
      if (await isAccepted(nodes[name].up, session, text)) break;
      await sleep(30);
    }
    acknowledged.set(session, [...(acknowledged.get(session) ?? []), text]);
    await sleep(20 + 60 * random());
  }
}

async function isAccepted(up: Up, session: string, text: string): Promise<boolean> {
  const send = up.api('POST', `/api/sessions/${session}/messages`, { id: text, text });
  const status = await Promise.race([
    send.then(
      (answer) => answer.status,
      () => 0,
    ),
    sleep(3_000, 0),
  ]);
  if (status >= 400 && status < 500 && status !== 429 && status !== 401)
    throw new Error(`A message was refused with ${status}.`);
  return status === 200 || status === 202;
}

type Fault = (bench: Bench, name: Name) => Promise<unknown>;

const FAULTS: Readonly<Record<string, Fault>> = {
  kill: (bench, name) => startAgain(bench, name, 'SIGKILL'),
  restart: (bench, name) => startAgain(bench, name, 'SIGTERM'),
  stop: (bench, name) => hang(bench, name, 400),
  /** Longer than a lease. */
  hang: (bench, name) => hang(bench, name, 13_000),
  cut: async ({ nodes }, name) => nodes[name].proxy.resetAll(),
  async freeze({ nodes, random }, name) {
    nodes[name].proxy.freeze(true);
    await sleep(200 + 800 * random());
    nodes[name].proxy.freeze(false);
  },
  /** Longer than the server waits for its keepalives, and longer than a lease. */
  async silence({ nodes }, name) {
    nodes[name].proxy.freeze(true);
    await sleep(13_000);
    nodes[name].proxy.resetAll();
    nodes[name].proxy.freeze(false);
  },
  async delay({ nodes }, name) {
    nodes[name].proxy.delay(30);
    await sleep(500);
    nodes[name].proxy.delay(0);
  },
  async server({ server, random }) {
    await server.stop(random() < 0.5 ? 'kill' : 'immediate');
    await sleep(500 * random());
    await server.start();
  },
};

async function startAgain({ nodes, away }: Bench, name: Name, signal: NodeJS.Signals): Promise<void> {
  const node = nodes[name];
  away.add(name);
  await node.up.end(signal);
  node.up = await node.place.up('--node', name);
  away.delete(name);
}

async function hang({ nodes, away }: Bench, name: Name, ms: number): Promise<void> {
  const { child } = nodes[name].up;
  away.add(name);
  child.kill('SIGSTOP');
  await sleep(ms);
  child.kill('SIGCONT');
  away.delete(name);
}

/** Most faults are short; every sixtieth lasts longer than a lease. */
function chooseFault(random: () => number, n: number): string {
  if (n % 60 === 30) return 'hang';
  if (n % 60 === 59) return 'silence';
  return pick(['kill', 'kill', 'restart', 'stop', 'cut', 'cut', 'freeze', 'delay', 'server'], random);
}

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)] as T;
}

async function inspect(
  { nodes }: Bench,
  acknowledged: ReadonlyMap<string, readonly string[]>,
): Promise<Omit<FaultReport, 'faults'>> {
  const { up } = nodes.north;
  const problems: string[] = [];
  const runs = countRuns(Object.values(nodes));
  const counts = { messages: 0, answered: 0, interrupted: 0 };
  for (const [session, texts] of acknowledged) {
    await untilIdle(up, session);
    const events = await readLog(up, session);
    events.forEach(({ number }, index) => {
      if (number !== index + 1) problems.push(`${session}: event ${number} is in place ${index + 1}`);
    });
    const said = events.filter(({ event }) => event.type === 'user').map(({ event }) => `${event.text}`);
    if (said.join() !== texts.join())
      problems.push(`${session}: acknowledged ${texts.join()}, and the log has ${said.join()}`);
    const ends = events.filter(({ event }) => event.type === 'end');
    const interrupted = ends.filter(({ event }) => event.outcome !== 'success').length;
    const answers = events
      .filter(({ event }) => event.type === 'message')
      .map(({ event }) => `${event.text}`.trim().replace('answer to ', ''));
    if (answers.length + interrupted < texts.length)
      problems.push(
        `${session}: ${texts.length} messages, ${answers.length} answers, ${interrupted} interrupted`,
      );
    if (new Set(answers).size !== answers.length)
      problems.push(`${session}: an answer came twice: ${answers.join()}`);
    if (!isInOrder(answers, texts)) problems.push(`${session}: answers are out of order: ${answers.join()}`);
    for (const text of texts)
      if ((runs.get(text) ?? 0) > 1)
        problems.push(`${session}: the agent was given ${text} ${runs.get(text)} times`);
    counts.messages += texts.length;
    counts.answered += answers.length;
    counts.interrupted += interrupted;
  }
  return { ...counts, problems };
}

function isInOrder(some: readonly string[], all: readonly string[]): boolean {
  const places = some.map((one) => all.indexOf(one));
  return places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
}

/** How often the agent was given each message, by its own account. */
function countRuns(nodes: readonly Node[]): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const { place } of nodes) {
    let text = '';
    try {
      text = readFileSync(join(place.path, 'witness'), 'utf8');
    } catch {
      continue; // It has run nothing.
    }
    for (const line of text.split('\n').filter(Boolean)) runs.set(line, (runs.get(line) ?? 0) + 1);
  }
  return runs;
}

async function untilIdle(up: Up, session: string): Promise<void> {
  const state = async (): Promise<string> =>
    (await up.api<{ state: string }>('GET', `/api/sessions/${session}`)).json.state;
  await until(async () => (await state()) === 'idle', `the rest of ${session}`, 60_000);
}

async function readLog(up: Up, session: string): Promise<readonly Logged[]> {
  const all: Logged[] = [];
  for (;;) {
    const after = all.at(-1)?.number ?? 0;
    const { json } = await up.api<{ events: Logged[] }>(
      'GET',
      `/api/sessions/${session}/events?after=${after}`,
    );
    if (json.events.length === 0) return all;
    all.push(...json.events);
  }
}
