import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { builtCommand, onTestEnd, profileFor, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../../src/config/config.ts';
import { closeSession } from '../../src/sessions/control.ts';
import { sleeper, startsOf } from '../agents/sleeper-agent.ts';
import { configOf } from '../config-of.ts';
import { type Bench, brief, type Setting, shell, startBench } from '../harness.ts';

type Restartable = Bench & { stop(): Promise<void> };

/** A place in which gateways follow each other. */
function place(): { readonly path: string; start(setting?: Setting): Promise<Restartable> } {
  const home = temporaryDirectory();
  const ends: (() => void | Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end();
  };
  onTestEnd(async () => {
    await stop();
    home[Symbol.dispose]();
  });
  return {
    path: home.path,
    async start(setting = {}) {
      const given = { agents: (at: string) => [sleeper(at)], ...setting, directory: home.path };
      return { ...(await startBench(given, (end) => void ends.push(end))), stop };
    },
  };
}

const rung = async (bench: Bench, session: Session): Promise<string[]> =>
  brief(await bench.log(session)).filter((line) => line.startsWith('message: ring'));

/** Waits until it has rung, and been written down. */
async function rings(bench: Bench, session: Session): Promise<string[]> {
  await until(async () => (await rung(bench, session)).length > 0, 'the alarm to ring', 20_000);
  await bench.idle(session);
  return rung(bench, session);
}

const ROOT = join(import.meta.dirname, '../../../..');

const CUT_SHORT = join(import.meta.dirname, '../agents/cut-short.ts');

/**
 * The resident agent that comes with Plugboard, with a model that is a script. It may be killed, the first time it says
 * these words.
 */
function nuum(at: string, killedAt?: string): AgentConfig {
  const between =
    killedAt === undefined ? [] : [process.execPath, CUT_SHORT, join(at, 'mark-{session}'), killedAt];
  const program = [...between, process.execPath, builtCommand('nuum', 'nuum'), '--stdio'];
  const script = `script:${join(ROOT, 'examples/nuum/tour.yaml')}`;
  const argv = [...program, '--model', script, '--db', join(at, 'memory-{session}.db')];
  const profile = { ...profileFor('nuum', argv, at), name: 'nuum' };
  return { name: 'nuum', profile, share: false, parkAfterMs: 300_000, onCrash: 'fail' };
}

const errands = async ({ store }: Bench): Promise<string[]> =>
  (await store.errands.list()).map(({ sessionId }) => sessionId);

describe.concurrent('an agent with an alarm', () => {
  it('is opened again after a restart, and rings though nobody speaks', async () => {
    const here = place();
    const first = await here.start();
    const session = await first.session();
    await first.ask(session, 'alarm 2000 tea');
    expect(await errands(first)).toEqual([session.id]);
    await first.stop();
    const second = await here.start();
    expect(await rings(second, session)).toEqual(['message: ring: tea']);
    const [turn] = await second.store.turns.list(session.id, { limit: 9 });
    expect(turn).toMatchObject({ messageId: undefined, state: 'success', agent: 'sleeper' });
    await until(async () => (await errands(second)).length === 0, 'nothing to be left to do');
    expect(startsOf(join(here.path, 'workspace'), session.id)).toBe(2);
  });

  it('for which the time came while no gateway was there rings as soon as one is', async () => {
    const here = place();
    const first = await here.start();
    const session = await first.session();
    await first.ask(session, 'alarm 1500 tea');
    const due = Date.now() + 1_500;
    await first.stop();
    await until(() => Date.now() > due, 'the time to come');
    const second = await here.start();
    expect(await rung(second, session)).toEqual([]);
    expect(await rings(second, session)).toEqual(['message: ring: tea']);
  });

  it('is one of many that are all opened, though only one turn may run at a time', async () => {
    const here = place();
    const first = await here.start();
    const sessions = await Promise.all(['a', 'b', 'c'].map((name) => first.session(name)));
    for (const session of sessions) await first.ask(session, 'alarm 600000 tea');
    await first.stop();
    const second = await here.start({ limits: { agents: 1 } });
    for (const session of sessions)
      await until(
        () => startsOf(join(here.path, 'workspace'), session.id) === 2,
        'every one of them to be opened',
        20_000,
      );
    expect(second.gateway.agents.residents).toBe(3);
  });

  it('is not parked before it has rung, and is after that', async () => {
    const here = place();
    const bench = await here.start({ agents: (at) => [sleeper(at, { parkAfterMs: 200 })] });
    const session = await bench.session();
    await bench.ask(session, 'alarm 1500 tea');
    expect(await rings(bench, session)).toEqual(['message: ring: tea']);
    expect(startsOf(join(here.path, 'workspace'), session.id)).toBe(1);
    await until(() => bench.gateway.agents.residents === 0, 'the agent to be parked');
  });

  it('that was opened for it is parked when it has rung', async () => {
    const here = place();
    const agents = (at: string) => [sleeper(at, { parkAfterMs: 200 })];
    const first = await here.start({ agents });
    const session = await first.session();
    await first.ask(session, 'alarm 1500 tea');
    await first.stop();
    const second = await here.start({ agents });
    await rings(second, session);
    await until(() => second.gateway.agents.residents === 0, 'the agent to be parked');
    expect(startsOf(join(here.path, 'workspace'), session.id)).toBe(2);
  });

  it('is also the one that comes with Plugboard, with a memory for each session', async () => {
    const here = place();
    const agents = (at: string) => [nuum(at)];
    const first = await here.start({ agents });
    const session = await first.session();
    await first.ask(session, 'wake me in 4s');
    expect(await errands(first)).toEqual([session.id]);
    await first.stop();
    const second = await here.start({ agents });
    const woken = async (): Promise<boolean> =>
      brief(await second.log(session)).some((line) => line.startsWith('message: It is time.'));
    await until(woken, 'the alarm to ring', 20_000);
    await until(async () => (await errands(second)).length === 0, 'nothing to be left to do');
  });

  it.each([
    ['when it has said the end of the turn', '"type":"result"'],
    ['when it has set it, before it could tell', '"subtype":"tool_result"'],
  ])('that is killed %s rings though nobody speaks', async (_moment, words) => {
    const bench = await place().start({ agents: (at) => [nuum(at, words)] });
    const session = await bench.session();
    await bench.ask(session, 'wake me in 3s');
    expect(await errands(bench)).toEqual([session.id]);
    const woken = async (): Promise<boolean> =>
      brief(await bench.log(session)).some((line) => line.startsWith('message: It is time.'));
    await until(woken, 'the alarm to ring', 30_000);
    await until(async () => (await errands(bench)).length === 0, 'nothing to be left to do');
  });

  it('that was set while its gateway was dying rings in the next one', async () => {
    const here = place();
    const first = await here.start();
    const session = await first.session();
    await first.stop();
    // A turn that was begun and never ended, of which nothing is known but that its agent has set an alarm.
    const left = openSqlite(join(here.path, 'gateway.db'), { clock: Date.now, synchronous: 'normal' });
    const message = {
      source: 'm',
      sessionId: session.id,
      text: 'alarm 1 tea',
      sender: 'ada',
      attachments: [],
    };
    await left.inbox.admit(message);
    const [claim] = await left.turns.claim({ node: 'local', leaseMs: 30_000, limit: 1 });
    if (claim?.message === undefined) throw new Error('There is a message to be claimed.');
    // Otherwise the message would be given to the agent again, which would set the alarm again.
    await left.turns.record(claim, { given: [claim.message.id] });
    await left.close();
    writeFileSync(join(here.path, 'workspace', session.id), JSON.stringify({ at: Date.now(), text: 'tea' }));
    const second = await here.start();
    expect(await rings(second, session)).toEqual(['message: ring: tea']);
    await until(async () => (await errands(second)).length === 0, 'nothing to be left to do');
  });

  it('that could not be set is not waited for', async () => {
    const here = place();
    const bench = await here.start({ agents: (at) => [nuum(at)] });
    const session = await bench.session();
    expect(brief(await bench.ask(session, 'wake me in a fortnight or so'))).toContain('tool-call');
    await until(async () => (await errands(bench)).length === 0, 'nothing to be left to do');
  });

  it('that dies is opened again, and rings', async () => {
    const here = place();
    const bench = await here.start();
    const session = await bench.session();
    await bench.ask(session, 'alarm 3000 tea');
    const [, pid = ''] = /message: (\d+)/.exec(brief(await bench.ask(session, 'pid')).join()) ?? [];
    process.kill(Number(pid), 'SIGKILL');
    expect(await rings(bench, session)).toEqual(['message: ring: tea']);
    expect(startsOf(join(here.path, 'workspace'), session.id)).toBe(2);
  });

  it('that dies in a turn is opened again, and rings', async () => {
    const here = place();
    const bench = await here.start();
    const session = await bench.session();
    await bench.ask(session, 'alarm 2500 tea');
    expect(brief(await bench.ask(session, 'die')).at(-1)).toMatch(/^end error/);
    expect(await rings(bench, session)).toEqual(['message: ring: tea']);
  });

  it('that is shared rings in the session in which it was set', async () => {
    const here = place();
    const agents = (at: string) => [sleeper(at, { share: true })];
    const first = await here.start({ agents });
    const [hall, attic] = [await first.session('hall'), await first.session('attic')];
    await first.ask(attic, 'hello');
    await first.ask(hall, 'alarm 2000 tea');
    await first.stop();
    const second = await here.start({ agents });
    expect(await rings(second, hall)).toEqual(['message: ring: tea']);
    expect(await rung(second, attic)).toEqual([]);
    expect(startsOf(join(here.path, 'workspace'), 'shared')).toBe(2);
  });

  it('that is to be started otherwise goes on with it', async () => {
    const here = place();
    const bench = await here.start();
    const session = await bench.session();
    await bench.ask(session, 'alarm 4000 tea');
    const agents = (at: string) => [sleeper(at, { parkAfterMs: 1_000 })];
    bench.gateway.reload(configOf(here.path, { agents }));
    expect(await rings(bench, session)).toEqual(['message: ring: tea']);
  });
});

describe.concurrent('people are told that alarms end', () => {
  const ENDED = ' Tasks and alarms that sleeper had under way end with that.';
  const agents = (at: string) => [sleeper(at), shell('other', 'echo hello', at)];

  it('with a session, if there are any', async () => {
    const bench = await place().start({ agents });
    const session = await bench.session();
    await bench.ask(session, 'hello');
    const begun = 'A new session has begun; sleeper answers.';
    const first = await bench.say(session, '/new');
    expect(first).toMatchObject({ reply: begun });
    const next = await bench.session();
    await bench.ask(next, 'alarm 600000 tea');
    expect(await bench.say(next, '/new', 'same')).toMatchObject({ reply: `${begun}${ENDED}` });
    await until(() => bench.gateway.agents.residents === 0, 'it to be ended');
    expect(await errands(bench)).toEqual([]);
    expect(await bench.say(next, '/new', 'same')).toMatchObject({ reply: `${begun}${ENDED}` });
  });

  it('with the choice of another agent, and not with that of the same', async () => {
    const bench = await place().start({ agents });
    const session = await bench.session();
    await bench.ask(session, 'alarm 600000 tea');
    expect(await bench.say(session, '/agent sleeper')).toMatchObject({
      reply: 'sleeper answers from now on.',
    });
    expect(bench.gateway.agents.residents).toBe(1);
    expect(await errands(bench)).toEqual([session.id]);
    expect(await bench.say(session, '/agent other')).toMatchObject({
      reply: `other answers from now on.${ENDED}`,
    });
    await until(() => bench.gateway.agents.residents === 0, 'it to be ended');
  });

  it('with the choice of another agent while a turn runs, once that is over', async () => {
    const bench = await place().start({ agents });
    const session = await bench.session();
    await bench.ask(session, 'alarm 1500 tea');
    await bench.say(session, 'work 500');
    await until(() => bench.gateway.engine.running.has(session.id), 'it to work');
    const now = (await bench.store.sessions.get(session.id)) ?? session;
    expect(await bench.say(now, '/agent other')).toMatchObject({
      reply: `other answers from now on.${ENDED}`,
    });
    await bench.idle(session);
    await until(() => bench.gateway.agents.residents === 0, 'it to be ended');
    expect(await rung(bench, session)).toEqual([]);
  });

  it('of an agent that is shared, which goes on, by nobody', async () => {
    const bench = await place().start({ agents: (at) => [sleeper(at, { share: true })] });
    const session = await bench.session();
    await bench.ask(session, 'alarm 600000 tea');
    expect(await bench.say(session, '/new')).toMatchObject({
      reply: 'A new session has begun; sleeper answers.',
    });
    expect(bench.gateway.agents.residents).toBe(1);
  });
});

describe.concurrent('after a restart nobody is opened', () => {
  const restart = async (
    between: (bench: Restartable, session: Session) => Promise<unknown>,
    setting: Setting = {},
  ): Promise<Bench> => {
    const here = place();
    const first = await here.start();
    const session = await first.session();
    await first.ask(session, 'alarm 600000 tea');
    await between(first, session);
    await first.stop();
    return here.start(setting);
  };

  it('for an alarm that was cancelled', async () => {
    const bench = await restart((first, session) => first.ask(session, 'cancel'));
    expect(bench.gateway.agents.residents).toBe(0);
  });

  it('for a session that has ended', async () => {
    const bench = await restart((first, session) => closeSession(first.gateway.engine, session.id));
    expect(bench.gateway.agents.residents).toBe(0);
  });

  it('who is not in the configuration any more, until it is again', async () => {
    const others = (at: string) => [shell('other', 'echo hello', at)];
    const bench = await restart(async () => {}, { agents: others });
    expect(bench.gateway.agents.residents).toBe(0);
    const both = configOf(bench.directory, { agents: (at) => [...others(at), sleeper(at)] });
    bench.gateway.reload(both);
    expect(bench.gateway.agents.residents).toBe(1);
  });
});
