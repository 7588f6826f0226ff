import { join } from 'node:path';
import type { Session } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { profileFor, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { AgentConfig, LimitsConfig } from '../../src/config/config.ts';
import { cancelTurn, stop } from '../../src/sessions/control.ts';
import type { Running } from '../../src/sessions/running.ts';
import { type Bench, brief, startBench } from '../harness.ts';

const QUIRKY = [process.execPath, join(import.meta.dirname, '../agents/quirky.ts')];

const quirky = (at: string, more: Partial<AgentConfig> = {}): AgentConfig => ({
  name: 'one',
  profile: { ...profileFor('nuum', QUIRKY, at, { killGraceSecs: 0.2 }), name: 'one' },
  share: false,
  parkAfterMs: 0,
  onCrash: 'fail',
  ...more,
});

async function bench(limits: Partial<LimitsConfig> = {}): Promise<{ bench: Bench; session: Session }> {
  const started = await startBench({ agents: (at) => [quirky(at)], limits });
  return { bench: started, session: await started.session() };
}

/** What the agent said and how its turns ended, each with the place of its turn among those of the session. */
async function told({ store, log }: Bench, session: Session): Promise<string[]> {
  const turns = (await store.turns.list(session.id, { limit: 99 })).map(({ id }) => id).reverse();
  const events = (await log(session)).filter(({ event }) => event.type === 'message' || event.type === 'end');
  return events.map((one) => `${turns.indexOf(one.turnId ?? '') + 1} ${brief([one])[0]}`);
}

type At = Awaited<ReturnType<typeof bench>>;

function runningIn({ bench: { gateway }, session }: At): Running {
  const running = gateway.engine.running.get(session.id);
  if (running === undefined) throw new Error('No turn is running.');
  return running;
}

async function sayDuring(
  { bench, session }: { bench: Bench; session: Session },
  task: string,
): Promise<void> {
  await bench.say(session, task);
  await until(async () => brief(await bench.log(session)).includes('message: at work'), 'the agent works');
  expect(await bench.say(session, 'b')).toMatchObject({ steered: true });
}

describe.concurrent('what was given to a running turn', () => {
  it.each([
    ['the agent leaves after its result without having taken it in', 'leave after a result', 'success'],
    ['the turn fails with the process of the agent', 'leave without a result', 'error undefined'],
    ['the turn takes too long', 'take no notice', 'timeout timeout'],
    ['the turn takes too long, and its agent lives on and forgets', 'forget the queue', 'timeout timeout'],
  ])('is answered in a turn of its own when %s', async (_when, task, outcome) => {
    const at = await bench({ turnMs: 1_500 });
    await sayDuring(at, task);
    await until(async () => (await told(at.bench, at.session)).length === 4, 'both turns to end');
    await at.bench.idle(at.session);
    expect(await told(at.bench, at.session)).toEqual([
      '1 message: at work',
      `1 end ${outcome}`,
      '2 message: re b',
      '2 end success',
    ]);
    const [second, first] = await at.bench.store.turns.list(at.session.id, { limit: 9 });
    expect(second?.messageId).toBeDefined();
    expect(second?.messageId).not.toBe(first?.messageId);
  });

  it('is answered by the next gateway when this one is stopped', async () => {
    using place = temporaryDirectory();
    const setting = { directory: place.path, agents: (at: string) => [quirky(at)], limits: { graceMs: 0 } };
    const ends: (() => void | Promise<void>)[] = [];
    const started = await startBench(setting, (end) => ends.push(end));
    const at = { bench: started, session: await started.session() };
    await sayDuring(at, 'take no notice');
    await ends.pop()?.();
    const next = await startBench(setting, (end) => ends.push(end));
    try {
      await until(async () => (await told(next, at.session)).length === 4, 'both turns to end');
      expect(await told(next, at.session)).toEqual([
        '1 message: at work',
        '1 end cancelled shutdown',
        '2 message: re b',
        '2 end success',
      ]);
    } finally {
      await ends.pop()?.();
    }
  });

  it.each([
    ['the command', (at: At) => stop(at.bench.gateway.engine, at.session.id)],
    ['a request', (at: At) => cancelTurn(at.bench.gateway.engine, runningIn(at))],
  ])('can be stopped by %s while it is answered late', async (_what, halt) => {
    const at = await bench();
    await sayDuring(at, 'begin late and wait');
    await until(
      async () => brief(await at.bench.log(at.session)).includes('message: at b'),
      'it to be begun',
    );
    await halt(at);
    await at.bench.idle(at.session);
    expect((await told(at.bench, at.session)).at(-1)).toBe('1 end cancelled');
  });

  it('is not answered after a stop by an agent that has kept it', async () => {
    const at = await bench();
    await sayDuring(at, 'keep the queue');
    await cancelTurn(at.bench.gateway.engine, runningIn(at));
    await at.bench.idle(at.session);
    expect(brief(await at.bench.ask(at.session, 'c'))).toContain('message: re c');
    expect((await told(at.bench, at.session)).join()).not.toContain('re b');
  });

  it.each([
    [
      'POST stop',
      async (at: At) =>
        void expect(await stop(at.bench.gateway.engine, at.session.id)).toEqual({
          stopped: true,
          dropped: 1,
        }),
    ],
    [
      '/stop',
      async (at: At) =>
        void expect(await at.bench.say(at.session, '/stop')).toMatchObject({
          reply: 'Stopped. 1 message was dropped.',
        }),
    ],
    ['a cancelled turn', (at: At) => cancelTurn(at.bench.gateway.engine, runningIn(at))],
  ])('is named in a dropped event when %s comes before the agent takes it in', async (_what, halt) => {
    const at = await bench();
    await sayDuring(at, 'forget the queue');
    const said = (await at.bench.log(at.session)).flatMap(({ event }) =>
      event.type === 'user' ? [event.messageId] : [],
    );
    await halt(at);
    await at.bench.idle(at.session);
    const dropped = (await at.bench.log(at.session)).filter(({ event }) => event.type === 'dropped');
    expect(dropped).toMatchObject([{ event: { messageIds: said.slice(1) } }]);
    expect(await at.bench.store.inbox.get(said[1] ?? '')).toMatchObject({
      state: 'dropped',
      turnId: undefined,
    });
  });

  it('is not named in a dropped event when the agent has taken it in', async () => {
    const at = await bench();
    await sayDuring(at, 'take it in and wait');
    await until(async () => brief(await at.bench.log(at.session)).includes('steered'), 'it to be taken in');
    expect(await stop(at.bench.gateway.engine, at.session.id)).toEqual({ stopped: true, dropped: 0 });
    expect(brief(await at.bench.log(at.session))).not.toContain('dropped');
  });

  it.each([
    ['waiting_per_session', { waitingPerSession: 2 }, /2 messages of this session wait/],
    ['waiting_per_principal', { waitingPerPrincipal: 2, agents: 1 }, /2 of your messages wait/],
    ['waiting', { waiting: 2, agents: 1 }, /^2 messages wait already/],
  ])('counts against limits.%s until the agent takes it in', async (_limit, limits, words) => {
    const at = await bench(limits);
    await sayDuring(at, 'forget the queue');
    expect(await at.bench.say(at.session, 'c')).toMatchObject({ steered: true });
    const refused = { kind: 'refused', code: 'too-many', message: expect.stringMatching(words) };
    expect(await at.bench.say(at.session, 'd')).toMatchObject(refused);
    await stop(at.bench.gateway.engine, at.session.id);
    await at.bench.idle(at.session);
    expect(await at.bench.say(at.session, 'e')).toMatchObject({ kind: 'message' });
  });

  it('does not count against limits.waiting_per_session once the agent has taken it in', async () => {
    const at = await bench({ waitingPerSession: 1 });
    await sayDuring(at, 'take it in and wait');
    await until(async () => brief(await at.bench.log(at.session)).includes('steered'), 'it to be taken in');
    expect(await at.bench.say(at.session, 'c')).toMatchObject({ steered: true });
  });

  it('is dropped with the turn when that is stopped', async () => {
    const at = await bench();
    await sayDuring(at, 'take it in and wait');
    await until(async () => brief(await at.bench.log(at.session)).includes('steered'), 'it to be taken in');
    await at.bench.say(at.session, 'c');
    await stop(at.bench.gateway.engine, at.session.id);
    await at.bench.idle(at.session);
    expect(brief(await at.bench.ask(at.session, 'd'))).toContain('message: re d');
    expect((await told(at.bench, at.session)).join()).not.toMatch(/re [bc]/);
  });
});

it.concurrent('an agent that is shared is given nothing for a turn that may be somebody else’s', async () => {
  const here = await startBench({ agents: (at) => [quirky(at, { share: true })] });
  const [ada, bo] = [await here.session('ada'), await here.session('bo')];
  await here.say(ada, 'take no notice');
  await until(async () => brief(await here.log(ada)).includes('message: at work'), 'the agent works');
  for (const text of ['one', 'two']) expect(await here.say(bo, text)).toMatchObject({ steered: false });
  expect(await here.say(ada, 'more')).toMatchObject({ steered: false });
  await stop(here.gateway.engine, ada.id);
  await here.idle(bo);
  expect((await told(here, bo)).filter((line) => line.includes('message'))).toEqual([
    '1 message: re one',
    '2 message: re two',
  ]);
});

describe.concurrent('an agent that says something after its result', () => {
  it('is asked the next message at once, in a turn of its own', async () => {
    const { bench: here, session } = await bench();
    const strays = async (): Promise<number> =>
      brief(await here.log(session)).filter((line) => line === 'message: late!').length;
    for (const round of [1, 2]) {
      await here.say(session, 'stray');
      await until(async () => (await strays()) === round, 'the stray words');
      expect(await here.say(session, 'b')).toMatchObject({ kind: 'message', steered: false });
      await here.idle(session);
    }
    const said = await told(here, session);
    const turns = await here.store.turns.list(session.id, { limit: 99 });
    expect(said.filter((line) => /end success/.test(line))).toHaveLength(turns.length);
    const round = ['re stray', 'late!', 're b'];
    expect(said.filter((line) => !/end/.test(line))).toEqual(
      [...round, ...round].map((words, at) => `${at + 1} message: ${words}`),
    );
  });

  it('can be stopped', async () => {
    const { bench: here, session } = await bench();
    await here.say(session, 'stray');
    await until(async () => brief(await here.log(session)).includes('message: late!'), 'the stray words');
    expect(await stop(here.gateway.engine, session.id)).toMatchObject({ stopped: true });
    await here.idle(session);
    expect((await told(here, session)).at(-1)).toBe('2 end success');
  });
});

it.concurrent('what an agent does by itself in the same breath as its answer is a turn after that', async () => {
  const { bench: here, session } = await bench();
  for (let round = 0; round < 3; round += 1) await here.ask(session, 'burst');
  await until(async () => (await told(here, session)).length === 12, 'all turns to end');
  await here.idle(session);
  const said = await told(here, session);
  const turns = await here.store.turns.list(session.id, { limit: 99 });
  expect(turns).toHaveLength(6);
  expect(new Set(turns.map(({ state }) => state))).toEqual(new Set(['success']));
  expect(said.slice(0, 4)).toEqual([
    '1 message: re burst',
    '1 end success',
    '2 message: re nobody',
    '2 end success',
  ]);
  // The process may be up before the first turn has begun.
  const outside = (await here.log(session)).filter(
    ({ turnId, event }) => turnId === undefined && !['user', 'ready', 'session'].includes(event.type),
  );
  expect(outside).toEqual([]);
});

it.concurrent('a turn that is asked again after a crash is followed at once by what it had taken in', async () => {
  using place = temporaryDirectory();
  const left = openSqlite(join(place.path, 'gateway.db'), { clock: Date.now, synchronous: 'normal' });
  const session = await left.sessions.open({ channel: 'web', place: 'hall', agent: 'one' });
  const admit = (text: string) =>
    left.inbox.admit({ source: text, sessionId: session.id, text, sender: 'ada', attachments: [] });
  const first = await admit('a');
  const [claim] = await left.turns.claim({ node: 'local', leaseMs: 30_000, limit: 1 });
  if (claim === undefined) throw new Error('There is a message to be claimed.');
  const second = await admit('b');
  const given = claim.message === undefined ? [] : [claim.message.id];
  expect((await left.turns.record(claim, { given, takeWaiting: true })).taken).toHaveLength(1);
  await left.turns.record(claim, {
    events: [
      { type: 'accepted', inputs: [first.message.id] },
      { type: 'steered', inputs: [second.message.id] },
    ],
  });
  await left.close();
  const ends: (() => void | Promise<void>)[] = [];
  const agents = (at: string) => [quirky(at, { onCrash: 'retry' })];
  const here = await startBench({ directory: place.path, agents }, (end) => ends.push(end));
  try {
    await until(async () => (await told(here, session)).length === 5, 'both to be answered', 20_000);
    const [taken, own] = await here.store.turns.list(session.id, { limit: 2 });
    // The gateway looks for turns every two seconds: the second one must not have waited for that.
    expect((taken?.startedAt ?? 0) - (own?.endedAt ?? 0)).toBeLessThan(1_500);
    expect((await told(here, session)).slice(1)).toEqual([
      '2 message: re a',
      '2 end success',
      '3 message: re b',
      '3 end success',
    ]);
  } finally {
    for (const end of ends) await end();
  }
});
