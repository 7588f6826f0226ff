import { onTestEnd, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createFakeChannel, hang } from '../delivery/fake-channel.ts';
import { shell, worker } from '../harness.ts';
import { startChat } from './chat-bench.ts';

const ECHO = { agents: (at: string) => [shell('echo', 'cat >/dev/null; echo hello', at)] };

describe.concurrent('a chat platform', () => {
  it('that asks to wait in one chat is obeyed there, and the others go on', async () => {
    const chat = await startChat(ECHO);
    const { platform } = chat;
    platform.trouble(
      { status: 429, body: { retryAfter: 0.8 } },
      1,
      ({ place, path }) => place === 'hall' && path === '/send',
    );
    platform.say('hall', 'hi');
    await until(() => platform.calls.some(({ path }) => path === '/send'), 'the first call');
    platform.say('yard', 'hi');
    await chat.sees('yard', ['hello']);
    expect(platform.texts('hall')).toEqual([]);
    await chat.sees('hall', ['hello']);
    const [first, second] = platform.calls.filter(({ place, path }) => place === 'hall' && path === '/send');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(800);
  });

  it('that cuts the connection shows nothing twice', async () => {
    const chat = await startChat(ECHO);
    chat.platform.trouble('cut', 1, ({ place, path }) => place === 'hall' && path === '/send');
    chat.platform.trouble('lose', 1, ({ place, path }) => place === 'yard' && path === '/send');
    chat.platform.say('hall', 'hi');
    chat.platform.say('yard', 'hi');
    await until(() => chat.platform.shown.length === 2, 'both answers');
    await chat.rest();
    expect([chat.platform.texts('hall'), chat.platform.texts('yard')]).toEqual([['hello'], ['hello']]);
  });

  it('that is away for a while gets what was said meanwhile, once, in order', async () => {
    const chat = await startChat({ agents: (at) => [worker('one', 'nib', at)] });
    const { platform } = chat;
    platform.say('hall', 'wait 300');
    await until(() => chat.gateway.engine.running.size === 1, 'the turn to run');
    await platform.down();
    await until(() => chat.gateway.engine.running.size === 0, 'the turn to end');
    await until(async () => {
      const [waiting] = await chat.store.outbox.list({ state: 'pending', limit: 1 });
      return (waiting?.attempts ?? 0) > 0;
    }, 'an attempt to fail');
    await platform.up();
    platform.say('hall', 'next');
    await chat.sees('hall', ['done', 'next']);
  });

  it('that refuses the key stops its channel, and no other', async () => {
    const told: string[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (message: string) => void told.push(message) };
    const other = createFakeChannel({ name: 'other' });
    const chat = await startChat({ ...ECHO, log }, {}, [other]);
    chat.platform.trouble({ status: 401 });
    chat.platform.say('hall', 'hi');
    await until(() => chat.gateway.channelState('chat') === 'failed', 'the channel to be stopped');
    expect(told).toHaveLength(1);
    const session = await chat.store.sessions.open({ channel: 'other', place: 'hall', agent: 'echo' });
    await chat.say(session, 'hi');
    await until(() => other.texts().length === 1, 'the other channel');
    const calls = chat.platform.calls.length;
    chat.platform.say('hall', 'again');
    await chat.say(session, 'again');
    await until(() => other.texts().length === 2, 'the other channel again');
    expect(chat.platform.calls).toHaveLength(calls);
  });
});

describe.concurrent('a channel that hangs', () => {
  it('keeps nobody else waiting', async () => {
    const unreachable = { ...createFakeChannel({ name: 'unreachable' }), start: hang };
    const answered = Promise.withResolvers<void>();
    const silent = createFakeChannel({ name: 'silent', on: { send: () => answered.promise } });
    const chat = await startChat(ECHO, {}, [unreachable, silent]);
    for (const channel of ['unreachable', 'silent']) {
      const session = await chat.store.sessions.open({ channel, place: 'hall', agent: 'echo' });
      await chat.say(session, 'hi');
    }
    chat.platform.say('hall', 'hi');
    await chat.sees('hall', ['hello']);
    expect(chat.gateway.channelState('unreachable')).toBe('starting');
    answered.resolve();
  });
});

describe.concurrent('a gateway that ends in the middle of a turn', () => {
  it('lets people know once, after the next start', async () => {
    const directory = temporaryDirectory();
    onTestEnd(() => directory[Symbol.dispose]());
    const setting = {
      agents: (at: string) => [worker('one', 'nib', at)],
      directory: directory.path,
      limits: { graceMs: 50 },
    };
    const first = await startChat(setting);
    first.platform.say('hall', 'wait 20000');
    await until(async () => {
      const [running] = first.gateway.engine.running.values();
      const recording = await first.gateway.recordings.read(running?.claim.turn.id ?? '');
      return (recording?.entries.length ?? 0) > 0;
    }, 'the agent to be given the message');
    await first.gateway.stop();
    await first.store.close();
    const second = await startChat(setting);
    await until(
      async () => (await second.store.outbox.list({ state: 'sent', limit: 9 })).length === 1,
      'the notice',
    );
    await second.rest();
    const texts = [...first.platform.texts('hall'), ...second.platform.texts('hall')];
    expect(texts).toHaveLength(1);
    expect(texts[0]).toMatch(/stopped while the turn was running/);
  });
});
