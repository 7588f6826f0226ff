import type { Session } from '@plugboard/store';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { BRIEF_MARK } from '../../src/sessions/brief-session.ts';
import { stop } from '../../src/sessions/control.ts';
import { type Bench, brief, startBench, worker } from '../harness.ts';

const AGENT = 'nuum';

async function pidOf(bench: Bench, session: Session): Promise<string | undefined> {
  return brief(await bench.ask(session, 'pid')).find((line) => line.startsWith('message'));
}

describe.concurrent('a resident agent', () => {
  it('keeps its process from turn to turn, one for each session', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at)] });
    const [hall, attic] = [await bench.session('hall'), await bench.session('attic')];
    const first = await pidOf(bench, hall);
    expect(await pidOf(bench, hall)).toBe(first);
    expect(await pidOf(bench, attic)).not.toBe(first);
  });

  it('ends when more of them have nothing to do than limits.resident says, those used longest ago first', async () => {
    const bench = await startBench({
      agents: (at) => [worker('one', AGENT, at, { parkAfterMs: 600_000 })],
      limits: { resident: 2 },
    });
    const [a, b, c] = [await bench.session('a'), await bench.session('b'), await bench.session('c')];
    const first = await pidOf(bench, a);
    const second = await pidOf(bench, b);
    expect(await pidOf(bench, a)).toBe(first);
    await pidOf(bench, c);
    expect(bench.gateway.agents.residents).toBe(2);
    expect(await pidOf(bench, a)).toBe(first);
    expect(await pidOf(bench, b)).not.toBe(second);
  });

  it('of a program that names no session ends before those of people', async () => {
    const bench = await startBench({
      agents: (at) => [worker('one', AGENT, at, { parkAfterMs: 600_000 })],
      limits: { resident: 1 },
    });
    const hall = await bench.session('hall');
    const first = await pidOf(bench, hall);
    const brief = await bench.store.sessions.open({
      channel: 'api',
      place: `key/one${BRIEF_MARK}1`,
      agent: 'one',
    });
    await pidOf(bench, brief);
    expect(bench.gateway.agents.residents).toBe(1);
    expect(await pidOf(bench, hall)).toBe(first);
  });

  it('can be shared by all sessions', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at, { share: true })] });
    const [hall, attic] = [await bench.session('hall'), await bench.session('attic')];
    expect(await pidOf(bench, hall)).toBe(await pidOf(bench, attic));
  });

  it('takes what is said during a turn into it', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at)] });
    const session = await bench.session();
    await bench.say(session, 'wait 20000');
    await until(() => bench.gateway.engine.running.get(session.id)?.current !== undefined, 'the turn to run');
    await until(async () => brief(await bench.log(session)).length > 1, 'the agent to be at work');
    const [turn] = await bench.store.turns.list(session.id, { limit: 1 });
    const steered = { steered: true, turnId: turn?.id };
    expect(await bench.say(session, 'enough', 'same')).toMatchObject(steered);
    expect(await bench.say(session, 'enough', 'same')).toMatchObject({ duplicate: true, turnId: turn?.id });
    await bench.idle(session);
    const users = (await bench.log(session)).filter(({ event }) => event.type === 'user');
    expect(users.map(({ turnId }) => turnId)).toEqual([turn?.id, turn?.id]);
    const said = brief(await bench.log(session));
    expect(said).toContain('message: heard: enough');
    expect(said.filter((line) => line.startsWith('end'))).toEqual(['end success']);
  });

  it('answers what came too late to be taken in, and all of it in turns that end', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at)] });
    const session = await bench.session();
    const said = async (): Promise<string[]> => brief(await bench.log(session));
    await bench.say(session, 'nap 2500');
    await until(async () => (await said()).includes('accepted'), 'the agent to be at work');
    for (const text of ['one', 'two', 'three'])
      expect(await bench.say(session, text)).toMatchObject({ steered: true });
    const answers = async (): Promise<string> =>
      (await said()).filter((line) => line.startsWith('message')).join();
    await until(async () => /rested.*one.*two.*three/s.test(await answers()), 'all to be answered');
    await bench.idle(session);
    const ends = (await said()).filter((line) => line.startsWith('end'));
    expect(ends).toEqual(['end success']);
    expect(await bench.store.turns.list(session.id, { limit: 9 })).toHaveLength(1);
    const outside = (await bench.log(session)).filter(({ turnId }) => turnId === undefined);
    const types = outside.map(({ event }) => event.type);
    expect(types.filter((type) => type !== 'log')).toEqual([]);
  });

  it('is interrupted by /stop and keeps its process', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at)] });
    const session = await bench.session();
    const before = await pidOf(bench, session);
    await bench.say(session, 'wait 20000');
    await until(() => bench.gateway.engine.running.get(session.id)?.current !== undefined, 'the turn to run');
    await until(async () => (await bench.log(session)).length > 6, 'the agent to be at work');
    await stop(bench.gateway.engine, session.id);
    await bench.idle(session);
    const ends = brief(await bench.log(session)).filter((line) => line.startsWith('end'));
    expect(ends.at(-1)).toMatch(/^end cancelled/);
    expect(await pidOf(bench, session)).toBe(before);
  });

  it('that speaks unasked is heard in its session', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at)] });
    const session = await bench.session();
    await bench.ask(session, 'alarm 200 tea');
    await until(async () => brief(await bench.log(session)).includes('message: ring: tea'), 'the alarm');
    await bench.idle(session);
    const said = brief(await bench.log(session));
    expect(said.filter((line) => line.startsWith('end'))).toEqual(['end success', 'end success']);
    const turns = await bench.store.turns.list(session.id, { limit: 9 });
    expect(turns.map(({ messageId }) => messageId === undefined)).toEqual([true, false]);
  });

  it('that is idle is parked, and started again with the next message', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at, { parkAfterMs: 200 })] });
    const session = await bench.session();
    const before = await pidOf(bench, session);
    await until(() => bench.gateway.agents.residents === 0, 'the agent to be parked');
    const after = await pidOf(bench, session);
    expect(after).toMatch(/^message: \d+$/);
    expect(after).not.toBe(before);
  });

  it('keeps the lease of its session from turn to turn, until its process ends', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at, { parkAfterMs: 1_000 })] });
    const session = await bench.session();
    const other = { node: 'other', leaseMs: 30_000 };
    const before = await pidOf(bench, session);
    expect(await bench.store.turns.claimOwn(session.id, other)).toBeUndefined();
    expect(await pidOf(bench, session)).toBe(before);
    await until(() => bench.gateway.agents.residents === 0, 'the agent to be parked');
    const claimed = async () => (await bench.store.turns.claimOwn(session.id, other)) !== undefined;
    await until(claimed, 'another node to get the session');
  });

  it('gives the lease back when its process dies between two turns', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', AGENT, at)] });
    const session = await bench.session();
    const pid = Number((await pidOf(bench, session))?.split(' ')[1]);
    process.kill(pid, 'SIGKILL');
    const other = { node: 'other', leaseMs: 30_000 };
    const claimed = async () => (await bench.store.turns.claimOwn(session.id, other)) !== undefined;
    await until(claimed, 'another node to get the session');
  });
});
