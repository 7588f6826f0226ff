import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@plugboard/client';
import {
  type PostgresServer,
  processesWith,
  SCRIPTED_CLAUDE,
  startPostgres,
  until,
} from '@plugboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  begun,
  ended,
  type Home,
  home,
  instanceAt,
  type Logged,
  type Said,
  say,
  shellAgent,
  slowAgent,
  type Up,
} from './gateway.ts';

let server: PostgresServer;
const sessions = mkdtempSync(join(tmpdir(), 'plugboard-nodes-'));
beforeAll(async () => {
  server = await startPostgres({ durable: false });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(sessions, { recursive: true, force: true });
});

const MARK = `plugboard-nodes-${process.pid}`;

/** An agent with a process for each session, which asks before it runs a command. */
const RESIDENT = `{ dialect: claude, command: ${JSON.stringify([...SCRIPTED_CLAUDE, MARK])}, env: { SCRIPTED_SESSIONS: ${sessions} }, approvals: { default: ask, timeout_secs: 30 } }`;

const AGENTS = `agents:
  short: ${shellAgent('echo "answer to $AGENT_MESSAGE"')}
  slow: ${slowAgent(MARK, 30)}
  later: ${shellAgent(`echo 'AGENT_PARTIAL:"begun"'; sleep 1; echo done`)}
  retried: { dialect: agentproc, command: [/bin/sh, -c, "echo 'AGENT_PARTIAL:\\"begun\\"'; sleep 2; echo done"], on_crash: retry }
  resident: ${RESIDENT}
limits: { agents: 2, grace_secs: 5 }
`;

interface Service extends AsyncDisposable {
  readonly north: Up;
  readonly south: Up;
  readonly places: { readonly north: Home; readonly south: Home };
}

/** Two gateways on one database, which know each other. */
async function startTwo(): Promise<Service> {
  const config = `${AGENTS}store: ${await server.createDatabase()}\n`;
  const places = { north: home(config), south: home(config) };
  const north = await places.north.up('--node', 'north');
  const south = await places.south.up('--node', 'south');
  await until(async () => (await listNodes(north)).length === 2, 'both are there');
  return {
    north,
    south,
    places,
    async [Symbol.asyncDispose]() {
      await places.north[Symbol.asyncDispose]();
      await places.south[Symbol.asyncDispose]();
    },
  };
}

/** Begins a turn that north runs: either of them could take it otherwise. */
async function sayAtNorth({ north, south }: Service, agent: string): Promise<Said> {
  await drain(south, 'south', true);
  const session = await say(north, 'hello', agent);
  await session.hears('the turn has begun', ({ type }) => type !== 'user');
  await drain(south, 'south', false);
  return session;
}

interface NodeShown {
  readonly name: string;
  readonly state: string;
  readonly self: boolean;
  readonly draining: boolean;
  readonly running: number;
}

async function listNodes(up: Up): Promise<readonly NodeShown[]> {
  return (await up.api<{ nodes: NodeShown[] }>('GET', '/api/nodes')).json.nodes;
}

async function drain(up: Up, name: string, draining: boolean): Promise<void> {
  await up.api('POST', `/api/nodes/${name}/drain`, { draining });
  const isDone = async (): Promise<boolean> =>
    (await listNodes(up)).some((node) => node.name === name && node.draining === draining);
  await until(isDone, `${name} ${draining ? 'drains' : 'goes on'}`);
}

async function eventsOf(up: Up, id: string): Promise<readonly Logged[]> {
  return (await up.api<{ events: Logged[] }>('GET', `/api/sessions/${id}/events?after=0`)).json.events;
}

/** Follows a session as a program does that reads by the client package. */
function follow(place: Home, id: string): { readonly numbers: number[]; stop(): void } {
  const { url, token } = instanceAt(join(place.data, 'gateway.json'));
  const end = new AbortController();
  const numbers: number[] = [];
  void (async () => {
    const log = createClient({ url, token }).events.follow(id, { after: 0, signal: end.signal });
    for await (const step of log) if (step.type === 'event') numbers.push(step.view.number);
  })().catch(() => {});
  return { numbers, stop: () => end.abort() };
}

describe('two gateways on one database', () => {
  it('list each other, and know who answers', async () => {
    await using two = await startTwo();
    const nodes = await listNodes(two.south);
    expect(nodes.map(({ name, state, self }) => [name, state, self])).toEqual([
      ['north', 'alive', false],
      ['south', 'alive', true],
    ]);
    const listed = await two.places.north.run(['nodes']);
    expect(listed.stdout).toMatch(/^\* {2}north {2}alive {2}0 running, 0 resident.*\n {3}south {2}alive/);
    expect(await two.north.end()).toBe(0);
    await until(
      async () =>
        (await listNodes(two.south)).some(({ name, state }) => name === 'north' && state === 'ended'),
      'north is told to have ended',
    );
  });

  it('any of them admits a message, and the log reads the same at both', async () => {
    await using two = await startTwo();
    const session = await say(two.north, 'hello', 'short');
    await session.hears('the answer', ended, two.south);
    const more = await two.south.api('POST', `/api/sessions/${session.id}/messages`, { text: 'again' });
    expect(more.status).toBe(202);
    await until(
      async () => (await eventsOf(two.north, session.id)).filter(({ event }) => ended(event)).length === 2,
      'the second answer',
    );
    expect(await eventsOf(two.north, session.id)).toEqual(await eventsOf(two.south, session.id));
  });

  it('an event stream at one of them follows a turn that the other one runs', async () => {
    await using two = await startTwo();
    const session = await sayAtNorth(two, 'later');
    const reader = follow(two.places.south, session.id);
    await session.hears('the end', ended);
    const all = (await eventsOf(two.north, session.id)).map(({ number }) => number);
    await until(() => reader.numbers.length === all.length, 'the reader has all events', 2_000);
    reader.stop();
    expect(reader.numbers).toEqual(all);
  });

  it('a message beyond the room of one is answered by the other at once', async () => {
    await using two = await startTwo();
    await drain(two.south, 'south', true);
    await Promise.all([say(two.north, 'one', 'slow'), say(two.north, 'two', 'slow')]);
    await until(async () => (await runningAt(two.north)) === 2, 'north is full');
    await drain(two.south, 'south', false);
    const session = await say(two.north, 'three', 'short');
    await session.hears('the answer', ended);
    expect(await runningAt(two.north)).toBe(2);
  });

  it('a message, a stop and an answer reach the process of the session at the other one', async () => {
    await using two = await startTwo();
    const session = await sayAtNorth(two, 'resident');
    await session.hears('the first answer', ended);
    const before = processesWith(MARK).length;
    // The process for the session is at north, and the message comes to south.
    await two.south.api('POST', `/api/sessions/${session.id}/messages`, { text: 'run touch one' });
    const ask = await openAsk(two.south, session.id);
    expect(processesWith(MARK)).toHaveLength(before);
    const answer = await two.south.api('POST', `/api/asks/${ask.id}`, { option: allowOf(ask) });
    expect(answer.status).toBe(202);
    const late = await two.north.api('POST', `/api/asks/${ask.id}`, { option: allowOf(ask) });
    expect(late.status).toBe(409);
    await until(
      async () => (await eventsOf(two.south, session.id)).filter(({ event }) => ended(event)).length === 2,
      'the second answer',
    );
    await two.south.api('POST', `/api/sessions/${session.id}/messages`, { text: 'run touch two' });
    await openAsk(two.north, session.id);
    const stopped = await two.south.api('POST', `/api/sessions/${session.id}/stop`, {});
    expect(stopped.json).toEqual({ stopped: true, dropped: 0 });
    await until(
      async () => (await eventsOf(two.south, session.id)).filter(({ event }) => ended(event)).length === 3,
      'the end of the stopped turn',
    );
  });

  it('a turn is cancelled through the other one', async () => {
    await using two = await startTwo();
    const session = await sayAtNorth(two, 'slow');
    const [turn] = (
      await two.south.api<{ turns: { id: string }[] }>('GET', `/api/sessions/${session.id}/turns`)
    ).json.turns;
    const cancelled = await two.south.api('POST', `/api/turns/${turn?.id}/cancel`, {});
    expect(cancelled.json).toEqual({ cancelled: true });
    const end = await session.hears('the end', ended, two.south);
    expect(end.outcome).toBe('cancelled');
  });

  it('the turns of one that was killed are taken over, and its messages answered', async () => {
    await using two = await startTwo();
    // So that all turns begin at north.
    await drain(two.south, 'south', true);
    const retried = await say(two.north, 'hello', 'retried');
    const given = await say(two.north, 'hello', 'slow');
    for (const session of [retried, given]) await session.hears('the turn has begun', begun);
    const waiting = await say(two.north, 'hello', 'resident');
    await drain(two.south, 'south', false);
    await two.north.end('SIGKILL');
    await retried.hears('the answer of the second try', isSuccess, two.south);
    const events = (await eventsOf(two.south, given.id)).map(({ event }) => event);
    expect(events.at(-1)).toMatchObject({ type: 'end', error: { code: 'interrupted' } });
    await waiting.hears('the answer to what waited', isSuccess, two.south);
    expect((await listNodes(two.south)).map(({ name, state }) => [name, state])).toEqual([
      ['south', 'alive'],
      ['north', 'died'],
    ]);
    // It comes back under its name.
    const again = await two.places.north.up('--node', 'north');
    expect((await listNodes(again)).map(({ state }) => state)).toEqual(['alive', 'alive']);
  });

  it('a drained one takes no new turns and gives its sessions up, until it is resumed', async () => {
    await using two = await startTwo();
    const session = await sayAtNorth(two, 'resident');
    await session.hears('the answer', ended);
    const drained = await two.places.south.run(['nodes', 'drain', 'north']);
    expect([drained.code, drained.stderr]).toEqual([0, expect.stringContaining('takes no new turns')]);
    await until(
      async () => (await listNodes(two.south)).find(({ name }) => name === 'north')?.draining === true,
      'north drains',
    );
    await two.north.api('POST', `/api/sessions/${session.id}/messages`, { text: 'again' });
    await until(
      async () => (await eventsOf(two.south, session.id)).filter(({ event }) => ended(event)).length === 2,
      'the answer of south',
    );
    expect(two.north.stderr).toMatch(/takes no new turns/);
    await two.places.south.run(['nodes', 'resume', 'north']);
    await until(
      async () => (await listNodes(two.south)).find(({ name }) => name === 'north')?.draining === false,
      'north is back',
    );
    const unknown = await two.places.south.run(['nodes', 'drain', 'east']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no live gateway "east"')]);
  });

  it('a restart of one after the other loses no message and doubles none', async () => {
    await using two = await startTwo();
    const { places } = two;
    const ups = { north: two.north, south: two.south };
    const { json } = await ups.north.api<{ id: string }>('POST', '/api/sessions', { agent: 'short' });
    let said = 0;
    const isOver = { value: false };
    const talking = (async () => {
      for (; !isOver.value; said += 1) {
        const send = (up: Up) =>
          up.api('POST', `/api/sessions/${json.id}/messages`, { id: `m${said}`, text: `m${said}` });
        for (let tries = 0; ; tries += 1) {
          const up = (said + tries) % 2 === 0 ? ups.north : ups.south;
          const status = await send(up).then(
            (answer) => answer.status,
            () => 0,
          );
          if (status === 202 || status === 200) break;
          if (tries > 200) throw new Error(`m${said} is refused: ${status}`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    })();
    for (const name of ['north', 'south'] as const) {
      await until(() => said >= (name === 'north' ? 10 : 30), 'messages');
      expect(await ups[name].end()).toBe(0);
      ups[name] = await places[name].up('--node', name);
    }
    await until(() => said >= 50, 'more messages');
    isOver.value = true;
    await talking;
    const answers = async (): Promise<string[]> =>
      (await allEvents(ups.north, json.id))
        .filter(({ event }) => event.type === 'message')
        .map(({ event }) => `${event.text}`.trim());
    await until(async () => (await answers()).length >= said, 'all are answered', 20_000);
    expect(await answers()).toEqual(Array.from({ length: said }, (_, n) => `answer to m${n}`));
  });
});

/** All pages. */
async function allEvents(up: Up, id: string): Promise<readonly Logged[]> {
  const all: Logged[] = [];
  for (;;) {
    const after = all.at(-1)?.number ?? 0;
    const { json } = await up.api<{ events: Logged[] }>('GET', `/api/sessions/${id}/events?after=${after}`);
    if (json.events.length === 0) return all;
    all.push(...json.events);
  }
}

const isSuccess = (event: Logged['event']): boolean => ended(event) && event.outcome === 'success';

async function runningAt(up: Up): Promise<number> {
  const { text } = (await up.api<{ text: string }>('GET', '/metrics')).json;
  return [...text.matchAll(/^plugboard_turns_running\{.*\} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
}

interface Ask {
  readonly id: string;
  readonly question: { readonly options: readonly { readonly id: string; readonly effect?: string }[] };
}

async function openAsk(up: Up, session: string): Promise<Ask> {
  let found: Ask | undefined;
  await until(async () => {
    const { json } = await up.api<{ asks: Ask[] }>('GET', `/api/asks?session=${session}&state=open`);
    [found] = json.asks;
    return found !== undefined;
  }, 'the question');
  if (found === undefined) throw new Error('There is no question.');
  return found;
}

function allowOf({ question }: Ask): string {
  return question.options.find(({ effect }) => effect?.startsWith('allow'))?.id ?? '';
}
