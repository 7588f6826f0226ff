import { readFileSync } from 'node:fs';
import { type Store, StoreError, type StoreErrorCode } from '@plugboard/store';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type LogFields, silentLogger } from '../../src/log.ts';
import { stop } from '../../src/sessions/control.ts';
import { brief, shell, startBench, worker } from '../harness.ts';

describe.concurrent('a turn of a session', () => {
  it('is answered by the agent, and everything said is in the log by number', async () => {
    const bench = await startBench({
      agents: (at) => [shell('echo', 'echo \'{"type":"progress","text":"hm"}\'; echo hello', at)],
    });
    const session = await bench.session();
    const events = await bench.ask(session, 'hi');
    expect(brief(events)).toEqual(['user: hi', 'progress: hm', 'message: hello', 'end success']);
    expect(events.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(new Set(events.slice(1).map(({ turnId }) => turnId)).size).toBe(1);
  });

  it('of more than 100,000 events is logged once, for the operator to see', async () => {
    const warnings: string[] = [];
    const log = {
      ...silentLogger,
      warn: (_text: string, fields?: LogFields) => void warnings.push(`${fields?.code}`),
    };
    const progress = `yes '{"type":"progress","text":"x"}' | head -n`;
    const bench = await startBench({
      agents: (at) => [shell('long', `${progress} 100500`, at), shell('short', `${progress} 500`, at)],
      log,
    });
    for (const agent of ['short', 'long']) {
      const session = await bench.session(agent, agent);
      await bench.say(session, 'go');
      await bench.idle(session);
      expect(warnings.filter((code) => code === 'turn-large')).toHaveLength(agent === 'long' ? 1 : 0);
    }
  });

  it('gives the agent its own session id back with the next turn', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', 'agentproc', at)] });
    const session = await bench.session();
    await bench.ask(session, 'remember s1');
    expect((await bench.store.sessions.get(session.id))?.agentSession).toBe('s1');
    expect(brief(await bench.ask(session, 'recall'))).toContain('message: s1');
  });

  it('runs alone in its session, in the order of the messages', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', 'terminal', at)] });
    const session = await bench.session();
    await Promise.all(['a', 'b', 'c'].map((text) => bench.say(session, text)));
    await bench.idle(session);
    const said = brief(await bench.log(session)).filter((line) => !line.startsWith('user'));
    expect(said).toEqual([
      'message: a',
      'end success',
      'message: b',
      'end success',
      'message: c',
      'end success',
    ]);
  });

  it('is admitted once, however often it is sent', async () => {
    const bench = await startBench({ agents: (at) => [shell('echo', 'echo hello', at)] });
    const session = await bench.session();
    const received = await Promise.all([1, 2, 3].map(() => bench.say(session, 'hi', 'same')));
    expect(received.map((one) => one.kind === 'message' && one.duplicate).sort()).toEqual([
      false,
      true,
      true,
    ]);
    await bench.idle(session);
    expect(brief(await bench.log(session))).toEqual(['user: hi', 'message: hello', 'end success']);
  });

  it('of an agent that dies ends as an error, once, and the next one starts afresh', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', 'terminal', at)] });
    const session = await bench.session();
    expect(brief(await bench.ask(session, 'die')).at(-1)).toMatch(/^end error/);
    expect(brief(await bench.ask(session, 'again'))).toEqual([
      'user: again',
      'message: again',
      'end success',
    ]);
  });

  it('of an agent that is not there any more says so', async () => {
    const bench = await startBench();
    const session = await bench.session('hall', 'gone');
    expect(brief(await bench.ask(session, 'hi'))).toEqual(['user: hi', 'end error unknown-agent']);
  });

  it('keeps the files that the agent hands out, and names no path of the machine', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', 'terminal', at)] });
    const session = await bench.session();
    const events = await bench.ask(session, 'file note.txt');
    const message = events.find(({ event }) => event.type === 'message')?.event;
    if (message?.type !== 'message') throw new Error('no message');
    expect(message.media).toEqual([
      { kind: 'file', url: expect.stringMatching(/^\/api\/media\/[\w-]{24}$/), name: 'note.txt' },
    ]);
    const media = await bench.gateway.media.get(message.media[0]?.url?.slice(11) ?? '');
    if (media === undefined) throw new Error('no media');
    expect(media).toMatchObject({ name: 'note.txt', type: 'text/plain', size: 17 });
    expect(readFileSync(await bench.gateway.media.localPath(media), 'utf8')).toBe('made by the agent');
    expect(JSON.stringify(events)).not.toContain(bench.directory);
  });

  it('can be stopped, which drops what waits', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', 'terminal', at)] });
    const session = await bench.session();
    await bench.say(session, 'wait 20000');
    await until(async () => brief(await bench.log(session)).includes('progress: working'), 'work');
    const never = await bench.say(session, 'never');
    expect(await stop(bench.gateway.engine, session.id)).toEqual({ stopped: true, dropped: 1 });
    await bench.idle(session);
    expect(brief(await bench.log(session)).at(-1)).toMatch(/^end cancelled/);
    const dropped = (await bench.log(session)).find(({ event }) => event.type === 'dropped');
    expect(dropped?.event).toEqual({
      type: 'dropped',
      messageIds: [never.kind === 'message' ? never.messageId : ''],
    });
    expect(brief(await bench.ask(session, 'go on')).at(-1)).toBe('end success');
  });

  it('that takes longer than the gateway allows is stopped', async () => {
    const bench = await startBench({
      agents: (at) => [worker('one', 'terminal', at)],
      limits: { turnMs: 700 },
    });
    const session = await bench.session();
    expect(brief(await bench.ask(session, 'wait 20000')).at(-1)).toBe('end timeout timeout');
  });
});

describe.concurrent('many sessions', () => {
  it('run side by side up to the limit, and know their place in the line', async () => {
    const bench = await startBench({
      agents: (at) => [worker('one', 'terminal', at)],
      limits: { agents: 2 },
    });
    const sessions = await Promise.all(['a', 'b', 'c', 'd'].map((place) => bench.session(place)));
    for (const session of sessions) await bench.say(session, 'wait 1000');
    const { line, running } = bench.gateway.engine;
    expect(running.size).toBe(2);
    expect(sessions.map(({ id }) => line.position(id))).toEqual([undefined, undefined, 1, 2]);
    for (const session of sessions) await bench.idle(session);
    for (const session of sessions) expect(brief(await bench.log(session)).at(-1)).toBe('end success');
  });

  it('of an agent with a limit of its own wait for it, and those of others do not', async () => {
    const bench = await startBench({
      agents: (at) => [worker('slow', 'terminal', at, { maxRunning: 1 }), shell('quick', 'echo quick', at)],
    });
    const [first, second, other] = await Promise.all([
      bench.session('a'),
      bench.session('b'),
      bench.session('c', 'quick'),
    ]);
    if (first === undefined || second === undefined || other === undefined) throw new Error('no session');
    await bench.say(first, 'wait 1500');
    await bench.say(second, 'second');
    expect(brief(await bench.ask(other, 'now')).at(-1)).toBe('end success');
    expect(bench.gateway.engine.running.has(second.id)).toBe(false);
    await bench.idle(second);
    expect(brief(await bench.log(second))).toContain('message: second');
  });

  it('are refused when too many messages wait', async () => {
    const bench = await startBench({
      agents: (at) => [worker('one', 'terminal', at)],
      limits: { agents: 1, waitingPerSession: 2, waiting: 3 },
    });
    const session = await bench.session();
    await bench.say(session, 'wait 20000');
    await until(() => bench.gateway.engine.running.size === 1, 'the turn to run');
    for (const text of ['1', '2']) await bench.say({ ...session, waiting: 0 }, text);
    const fresh = await bench.store.sessions.get(session.id);
    expect(await bench.say(fresh ?? session, '3')).toMatchObject({ kind: 'refused', code: 'too-many' });
    await stop(bench.gateway.engine, session.id);
  });
});

describe.concurrent('a turn that cannot be written down', () => {
  /** A store that fails once, when the first turn is to be completed. */
  const failingOnce = (code: StoreErrorCode) => (store: Store) => {
    let failed = false;
    const record: Store['turns']['record'] = async (claim, changes) => {
      if (failed || changes.end === undefined) return store.turns.record(claim, changes);
      failed = true;
      throw new StoreError(code, 'It is not to be.');
    };
    return { ...store, turns: { ...store.turns, record } };
  };

  it.each([
    ['waits for a file that another program has locked', 'in-use', 'end success'],
    ['for good is ended, and leaves its session free', 'corrupt', 'end error not-kept'],
  ] as const)('%s', async (_what, code, ended) => {
    const agents = (at: string) => [shell('echo', 'echo hello', at)];
    const bench = await startBench({ agents, storeFor: failingOnce(code) });
    const session = await bench.session();
    expect(brief(await bench.ask(session, 'hi')).at(-1)).toBe(ended);
    expect(brief(await bench.ask(session, 'and now?')).at(-1)).toBe('end success');
  });
});
