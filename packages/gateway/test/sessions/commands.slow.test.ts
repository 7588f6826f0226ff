import { onTestEnd, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Inbound, Ingress } from '../../src/channels/channel.ts';
import { createFakeChannel } from '../delivery/fake-channel.ts';
import { brief, shell, startBench, worker } from '../harness.ts';

const working = (log: readonly string[]): boolean => log.at(-1) === 'progress: working';

describe.concurrent('/set', () => {
  it('sets an option that the agent has offered, for all turns that follow', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', 'terminal', at)] });
    const session = await bench.session();
    const replyTo = async (text: string) => {
      const answer = await bench.say(session, text);
      return answer.kind === 'command' ? answer.reply : answer.kind;
    };
    expect(await replyTo('/set')).toBe('The agent has offered nothing to set.');
    const choices = ['small', 'large'].map((value) => ({ value, name: value }));
    const options = [
      { id: 'model', name: 'Model', value: 'small', choices },
      { id: 'fast', name: 'Fast', value: true },
    ];
    await bench.store.log.note(session.id, { id: 'n', event: { type: 'options', options } });
    expect(await replyTo('/set model huge')).toBe('"model" cannot be "huge". It can be: small, large.');
    expect(await replyTo('/set model large')).toBe('model is large from the next message on.');
    expect(await replyTo('/set fast false')).toBe('fast is false from the next message on.');
    expect(await replyTo('/set')).toBe('model = large (small, large)\nfast = false (true, false)');
    expect((await bench.store.sessions.get(session.id))?.chosen).toEqual({ model: 'large', fast: false });
  });
});

describe.concurrent('a command that comes again', () => {
  it('begins no second session', async () => {
    const bench = await startBench();
    const session = await bench.session();
    const answers = await Promise.all([1, 2, 3].map(() => bench.say(session, '/new', 'same')));
    const [first] = answers;
    if (first?.kind !== 'command') throw new Error('no command');
    expect(first).toMatchObject({ command: 'new', duplicate: false });
    for (const again of answers.slice(1)) expect(again).toEqual({ ...first, duplicate: true });
    const live = await bench.session();
    expect(live.id).toBe(first.sessionId);
    // The platform knows the place, and not which session was live in it then.
    expect(await bench.say(live, '/new', 'same')).toEqual({ ...first, duplicate: true });
    expect(await bench.store.sessions.list({ limit: 9 })).toHaveLength(2);
    expect(await bench.say(live, '/new', 'another')).toMatchObject({ duplicate: false });
    expect(await bench.store.sessions.list({ limit: 9 })).toHaveLength(3);
  });

  it('does not stop what was begun after it, nor drop what waits', async () => {
    const bench = await startBench({ agents: (at) => [worker('one', 'terminal', at)] });
    const session = await bench.session();
    await bench.say(session, 'wait 20000');
    await until(async () => working(brief(await bench.log(session))), 'work');
    await bench.say(session, 'never');
    const stopped = { reply: 'Stopped. 1 message was dropped.' };
    expect(await bench.say(session, '/stop', 'same')).toMatchObject({ ...stopped, duplicate: false });
    await bench.idle(session);
    await bench.say(session, 'wait 700');
    await until(async () => working(brief(await bench.log(session))), 'work');
    await bench.say(session, 'later');
    expect(await bench.say(session, '/stop', 'same')).toMatchObject({ ...stopped, duplicate: true });
    await bench.idle(session);
    const said = brief(await bench.log(session)).filter((line) => /^(message|end)/.test(line));
    expect(said.slice(1)).toEqual(['message: done', 'end success', 'message: later', 'end success']);
  });

  it('is known after a restart', async () => {
    const directory = temporaryDirectory();
    onTestEnd(() => directory[Symbol.dispose]());
    const agents = (at: string) => [shell('one', 'echo 1', at), shell('two', 'echo 2', at)];
    const first = await startBench({ agents, directory: directory.path });
    const session = await first.session();
    expect(await first.say(session, '/agent two', 'a')).toMatchObject({ reply: 'two answers from now on.' });
    await first.say(session, '/agent one', 'b');
    await first.gateway.stop();
    await first.store.close();
    const second = await startBench({ agents, directory: directory.path });
    expect(await second.say(session, '/agent two', 'a')).toMatchObject({
      reply: 'two answers from now on.',
      duplicate: true,
    });
    expect((await second.store.sessions.get(session.id))?.agent).toBe('one');
  });

  it('is another one in another place', async () => {
    const bench = await startBench();
    const [hall, yard] = [await bench.session('hall'), await bench.session('yard')];
    expect(await bench.say(hall, '/new', 'same')).toMatchObject({ duplicate: false });
    expect(await bench.say(yard, '/new', 'same')).toMatchObject({ duplicate: false });
  });
});

describe.concurrent('an id', () => {
  it('names one thing that was said in a place', async () => {
    const bench = await startBench();
    const session = await bench.session();
    const reused = { kind: 'refused', code: 'reused', message: expect.stringContaining('id of its own') };
    await bench.say(session, 'hello', 'message');
    await bench.idle(session);
    await bench.say(session, '/status', 'command');
    expect(await bench.say(session, 'hello', 'message')).toMatchObject({ kind: 'message', duplicate: true });
    for (const text of ['hello!', '/new', '/status'])
      expect(await bench.say(session, text, 'message')).toEqual(reused);
    for (const text of ['hello', '/new', '/stop', '/status x', '//status'])
      expect(await bench.say(session, text, 'command')).toEqual(reused);
    // The same command, however it is written.
    expect(await bench.say(session, ' /STATUS@bot ', 'command')).toMatchObject({ duplicate: true });
    expect(await bench.store.sessions.get(session.id)).toMatchObject({ closed: false, waiting: 0 });
    expect(brief(await bench.log(session)).filter((line) => line.startsWith('user'))).toEqual([
      'user: hello',
    ]);
  });

  it('names something else in another place', async () => {
    const bench = await startBench();
    expect(await bench.say(await bench.session('hall'), 'hello', 'same')).toMatchObject({ duplicate: false });
    expect(await bench.say(await bench.session('yard'), '/new', 'same')).toMatchObject({ duplicate: false });
  });
});

describe.concurrent('a platform that gives a command again', () => {
  it('has it answered once', async () => {
    const heard: Ingress[] = [];
    const channel = {
      ...createFakeChannel(),
      async start(ingress: Ingress): Promise<void> {
        heard.push(ingress);
      },
    };
    const bench = await startBench({ channels: [channel] });
    const [ingress] = heard;
    if (ingress === undefined) throw new Error('It was not started.');
    const told = (messageId: string, text: string): Inbound => ({
      place: 'hall',
      messageId,
      text,
      sender: 'ada',
    });
    const [first, second] = await Promise.all([1, 2].map(() => ingress.receive(told('1', '/status'))));
    expect([first, second]).toMatchObject([{ duplicate: false }, { duplicate: true }]);
    await ingress.receive(told('2', '/new'));
    await ingress.receive(told('2', '/new'));
    await ingress.receive(told('1', '/status'));
    await until(() => channel.texts().length === 2, 'both answers');
    expect(channel.texts('hall')).toEqual([
      'Agent: echo. Nothing is running.',
      'A new session has begun; echo answers.',
    ]);
    expect(await bench.store.outbox.list({ limit: 9 })).toHaveLength(2);
    expect(await bench.store.sessions.list({ limit: 9 })).toHaveLength(2);
  });

  it('with other words tells nobody but the operator', async () => {
    const heard: Ingress[] = [];
    const warned: string[] = [];
    const log = { debug() {}, info() {}, error() {}, warn: (text: string) => void warned.push(text) };
    const channel = {
      ...createFakeChannel(),
      async start(ingress: Ingress): Promise<void> {
        heard.push(ingress);
      },
    };
    const bench = await startBench({ channels: [channel], log });
    const said = (text: string): Inbound => ({ place: 'hall', messageId: '1', text, sender: 'ada' });
    await heard[0]?.receive(said('/status'));
    expect(await heard[0]?.receive(said('/new'))).toMatchObject({ kind: 'refused', code: 'reused' });
    expect(warned).toEqual([expect.stringContaining('with this id')]);
    expect(await bench.store.outbox.list({ limit: 9 })).toHaveLength(1);
  });
});
