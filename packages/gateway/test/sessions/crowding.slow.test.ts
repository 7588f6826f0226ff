import { expect, it } from 'vitest';
import { receiveIn } from '../../src/sessions/receive.ts';
import { type Bench, shell, startBench } from '../harness.ts';

const SLEEPER = (workspace: string) => [
  shell('slow', 'sleep 30', workspace),
  shell('quick', 'echo done', workspace),
];

/** Says something in `count` places at once; gives why each was refused, or `kept`. */
async function sayEverywhere(
  bench: Bench,
  count: number,
  principal: string,
  agent = 'slow',
): Promise<string[]> {
  const sessions = await Promise.all(
    Array.from({ length: count }, (_, number) => bench.session(`${principal} ${number}`, agent)),
  );
  const received = await Promise.all(
    sessions.map((session, number) =>
      receiveIn(bench.gateway.engine, session, {
        place: session.place,
        messageId: `${principal} ${number}`,
        text: 'hello',
        sender: principal,
      }),
    ),
  );
  return received.map((one) => (one.kind === 'refused' ? one.message : 'kept'));
}

const keptOf = (outcomes: readonly string[]): number => outcomes.filter((one) => one === 'kept').length;

it.concurrent('no more messages wait than limits.waiting says, however many come at once', async () => {
  const bench = await startBench({ agents: SLEEPER, limits: { agents: 1, waiting: 3, graceMs: 0 } });
  const outcomes = await sayEverywhere(bench, 60, 'ada');
  // One of them runs.
  expect(keptOf(outcomes)).toBe(4);
  expect(outcomes.at(-1)).toMatch(/^\d+ messages wait already\. Try again later\.$/);
  expect(keptOf(await sayEverywhere(bench, 5, 'bob'))).toBe(0);
  expect((await bench.store.turns.backlog()).waiting).toBe(3);
});

it.concurrent('no more messages of one principal wait than limits.waiting_per_principal says, and others are taken in', async () => {
  const limits = { agents: 1, waiting: 100, waitingPerPrincipal: 5, graceMs: 0 };
  const bench = await startBench({ agents: SLEEPER, limits });
  const outcomes = await sayEverywhere(bench, 60, 'ada');
  expect(keptOf(outcomes)).toBe(6);
  expect(outcomes.at(-1)).toMatch(/of your messages wait already/);
  expect(keptOf(await sayEverywhere(bench, 3, 'bob'))).toBe(3);
});

it.concurrent('no more messages of one session wait than limits.waiting_per_session says, however many come at once', async () => {
  const bench = await startBench({
    agents: SLEEPER,
    limits: { agents: 1, waitingPerSession: 4, graceMs: 0 },
  });
  const session = await bench.session('hall', 'slow');
  const received = await Promise.all(Array.from({ length: 30 }, () => bench.say(session, 'hello')));
  expect(received.filter(({ kind }) => kind === 'message')).toHaveLength(4);
});

it.concurrent('a principal that floods the gateway does not keep another one waiting', async () => {
  const agents = (workspace: string) => [
    shell('slow', 'sleep 0.2', workspace),
    shell('quick', 'echo done', workspace),
  ];
  const bench = await startBench({ agents, limits: { agents: 2, waiting: 500, graceMs: 0 } });
  expect(keptOf(await sayEverywhere(bench, 100, 'ada'))).toBe(100);
  const session = await bench.session('bob', 'quick');
  const began = performance.now();
  await receiveIn(bench.gateway.engine, session, {
    place: session.place,
    messageId: 'bob',
    text: 'hello',
    sender: 'bob',
  });
  await bench.idle(session);
  // Two slots of 0.2 s each: all of the flood before it would take 10 s.
  expect(performance.now() - began).toBeLessThan(3_000);
});
