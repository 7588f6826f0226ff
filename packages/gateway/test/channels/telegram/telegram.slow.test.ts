import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeTelegram, onTestEnd, startFakeTelegram, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { PlatformConfig } from '../../../src/config/config.ts';
import { type Bench, type Setting, shell, startBench, worker } from '../../harness.ts';
import { calling, callsOf, channelFor, createTestLog, openTelegram, refusal } from './telegram-bench.ts';

interface TelegramGateway extends Bench {
  readonly platform: FakeTelegram;
  /** Waits until the last text of a place is this. */
  reads(text: string | RegExp, place?: string): Promise<void>;
}

const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** A gateway with a bot on Telegram, and agents behind it. */
async function startTelegram(
  setting: Setting = {},
  access: Partial<PlatformConfig['access']> = { allow: ['*'] },
  given?: FakeTelegram,
): Promise<TelegramGateway> {
  const platform = given ?? (await startFakeTelegram());
  if (given === undefined) onTestEnd(() => platform[Symbol.asyncDispose]());
  const log = createTestLog();
  const config: PlatformConfig = {
    ...{ name: 'telegram', kind: 'telegram', settings: {}, sessions: 'thread', progress: 'edit' },
    access: { allow: [], owners: [], groups: 'mention', pairing: true, ...access },
  };
  const bench = await startBench({
    ...setting,
    channels: [channelFor(platform, { log })],
    platforms: [config],
  });
  const reads = async (text: string | RegExp, place?: string): Promise<void> => {
    const matches = (): boolean => {
      const last = platform.shown(place).at(-1)?.text ?? '';
      return typeof text === 'string' ? last === text : text.test(last);
    };
    await until(matches, `${text}`).catch((cause) => {
      throw new Error(`They read ${JSON.stringify(platform.shown(place).map((one) => one.text))}`, { cause });
    });
  };
  return { ...bench, platform, reads };
}

/** An agent that is a small program and writes frames. */
const node = (script: string) => (at: string) => {
  writeFileSync(
    join(at, 'agent.mjs'),
    `const say = (event) => console.log(JSON.stringify(event));\n${script}`,
  );
  return [shell('writer', `exec "${process.execPath}" agent.mjs`, at)];
};

const asking = (at: string) => {
  const config = worker('one', 'agentproc/v4', at);
  const approvals = { default: 'ask', rules: [], timeoutSecs: 60 } as const;
  return [{ ...config, profile: { ...config.profile, approvals } }];
};

describe.concurrent('an agent on Telegram', () => {
  it('answers in a message that grows, with a typing sign, and keeps one session', async () => {
    const agents = node(`
      say({ type: 'progress', text: 'working' });
      setTimeout(() => say({ type: 'message', text: 'Done.' }), 800);
    `);
    const { platform, reads, store } = await startTelegram({ agents });
    for (const text of ['one', 'two']) {
      platform.say(text);
      await reads('working');
      await reads('Done.');
    }
    expect(platform.shown().map(({ text }) => text)).toEqual(['Done.', 'Done.']);
    expect(platform.world.actions.length).toBeGreaterThan(0);
    expect((await store.sessions.list({ limit: 9 })).map(({ place }) => place)).toEqual(['7001']);
  });

  it('gets a picture and sends one', async () => {
    const { platform, reads } = await startTelegram({ agents: (at) => [worker('one', 'terminal', at)] });
    const photo = [{ file_id: platform.addFile(PHOTO), file_unique_id: 'u' }];
    platform.receive({ photo, caption: 'attached' });
    await reads(/photo\.jpg.*\.png|media.*\.png/s);
    platform.say('file made.png');
    await until(() => platform.sent().some(({ types }) => types[0] === 'photo'), 'the picture');
    expect(platform.sent().at(-1)).toMatchObject({ text: 'Here it is.', files: ['made.png'] });
  });

  it('asks for permission by buttons; a stranger is refused, and a person in the chat allows it once', async () => {
    const { platform, reads } = await startTelegram(
      { agents: asking },
      { allow: ['7001'], owners: ['7001'] },
    );
    platform.say('ask rm');
    await until(() => platform.shown().some(({ buttons }) => buttons.length === 2), 'the question');
    const question = platform.shown().find(({ buttons }) => buttons.length === 2)?.platformId ?? '';
    platform.press(question, 'Allow', { person: '66' });
    await until(() => platform.world.answers.length === 1, 'the refusal');
    expect(platform.world.answers[0]).toMatchObject({
      text: 'Only an owner of this channel may answer.',
      alert: true,
    });
    platform.press(question, 'Allow');
    platform.press(question, 'Deny');
    await reads('rm was allowed');
    await until(() => platform.world.answers.length === 3, 'both answers');
    expect(
      platform.world.answers
        .slice(1)
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(['Allow', expect.stringMatching(/^It was answered already/)]);
    await until(() => platform.shown()[0]?.buttons.length === 0, 'the buttons to go');
    expect(platform.shown()[0]?.text).toMatch(/^❓ May rm be used\?\n✅ Allow — Person 7001/);
  });

  it('answers a person who came by a link with a code, and gives a stranger a code of another kind', async () => {
    const { platform, reads, gateway } = await startTelegram(
      { agents: (at) => [worker('one', 'nib', at)] },
      {},
    );
    const code = await gateway.access.invite('telegram', 'operator');
    platform.say(`/start ${code}`);
    await reads(/^You may talk to me now/);
    platform.say(`/start ${code}`, { place: '8' });
    await reads(/give this code to the person who runs me/, '8');
    platform.say('hi');
    await reads('hi');
  });

  it('hears in a group what is for it, and answers in the topic that asked', async () => {
    const { platform, reads } = await startTelegram({ agents: (at) => [worker('one', 'nib', at)] });
    platform.addGroup({ id: -1_001, is_forum: true });
    platform.say('not for you', { place: '-1001/4' });
    platform.say('@plug_bot for you', { place: '-1001/4' });
    await reads('for you', '-1001/4');
    expect(platform.shown('-1001/4')).toHaveLength(1);
    platform.say('/status@plug_bot', { place: '-1001' });
    await reads(/^Agent: one/, '-1001');
  });

  it('keeps its session when its group becomes a supergroup', async () => {
    const agents = (at: string) => [worker('one', 'nib', at)];
    const bench = await startTelegram({ agents }, { allow: ['*'], groups: 'all' });
    const { platform, reads, store } = bench;
    platform.addGroup({ id: -55, type: 'group' });
    platform.say('before', { place: '-55' });
    await reads('before', '-55');
    platform.migrate(-55, -1_055);
    platform.say('after', { place: '-1055' });
    await reads('after', '-1055');
    const sessions = await store.sessions.list({ limit: 9 });
    expect(sessions.map(({ place, lastEvent }) => [place, lastEvent > 4])).toEqual([['-1055', true]]);
  });

  it('sends a very long answer as its beginning and a file', async () => {
    const agents = node(`say({ type: 'message', text: 'All work and no play. '.repeat(2500) });`);
    const { platform } = await startTelegram({ agents });
    platform.say('hi');
    await until(() => platform.sent().some(({ files }) => files.length > 0), 'the file');
    const [beginning, file, ...others] = platform.shown();
    expect(beginning?.text).toMatch(/^All work and no play\..*📄 The whole text is in the file\.$/s);
    expect([file?.files, others]).toEqual([['answer.md'], []]);
  });

  it('waits as long as Telegram says when a preview was too much, and then answers once', async () => {
    const agents = node(`
      const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      say({ type: 'progress', text: 'one' });
      await pause(600);
      say({ type: 'progress', text: 'two' });
      await pause(1500);
      say({ type: 'message', text: 'Done.' });
    `);
    const { platform, reads } = await startTelegram({ agents });
    platform.server.trouble(
      refusal(429, 'Too Many Requests', { retry_after: 3 }),
      calling('editMessageText'),
    );
    platform.say('hi');
    await reads('Done.');
    const calls = platform.server.calls.filter(({ path }) => /sendMessage|editMessageText/.test(path));
    const [, limited, after] = calls;
    expect((after?.at ?? 0) - (limited?.at ?? 0)).toBeGreaterThanOrEqual(3_000);
    expect(platform.shown()).toHaveLength(1);
  });

  it('sends its answer anew when somebody has deleted the preview', async () => {
    const agents = node(`
      say({ type: 'progress', text: 'working' });
      setTimeout(() => say({ type: 'message', text: 'Done.' }), 1500);
    `);
    const { platform, reads } = await startTelegram({ agents });
    platform.say('hi');
    await reads('working');
    platform.remove(platform.shown()[0]?.platformId ?? '');
    await reads('Done.');
    expect(platform.shown()).toHaveLength(1);
  });

  it('names a file in the text of its message when Telegram does not give it', async () => {
    const { platform, reads } = await startTelegram({ agents: (at) => [worker('one', 'nib', at)] });
    const document = { file_id: 'x', file_unique_id: 'u', file_name: 'big.bin', file_size: 30 * 1_048_576 };
    platform.receive({ document, caption: 'See.' });
    await reads('See.\n[big.bin was left out: Telegram gives bots files of at most 20 MB.]');
  });

  it('takes a message once that was kept and not confirmed before a crash', async () => {
    const { platform, reads } = await startTelegram({ agents: (at) => [worker('one', 'nib', at)] });
    const name = platform.say('once');
    await reads('once');
    const id = Number(name.split('#')[1]);
    // As after a crash between the commit and the next request for updates.
    platform.receive({ text: 'once', message_id: id });
    platform.say('next');
    await reads('next');
    expect(platform.shown().map(({ text }) => text)).toEqual(['once', 'next']);
  });
});

describe.concurrent('a message on Telegram that is kept slowly', () => {
  it('is not confirmed and not taken twice by the requests meanwhile, which bring others in', async () => {
    const kept = Promise.withResolvers<void>();
    const { platform, ingress, calls } = await openTelegram({
      take: async ({ text }) => (text === 'slow' ? kept.promise : undefined),
    });
    const slow = platform.say('slow');
    await until(() => ingress.heard.length === 1, 'the first message');
    const other = platform.say('other', { place: '8' });
    await until(() => calls('getUpdates').length === 4, 'further requests');
    expect(ingress.heard.map(({ text }) => text)).toEqual(['slow', 'other']);
    expect([slow, other].some(platform.isAcknowledged)).toBe(false);
    kept.resolve();
    await until(() => platform.isAcknowledged(other), 'Telegram to know');
    expect(ingress.heard).toHaveLength(2);
  });
});

describe.concurrent('a press on Telegram that is kept slowly', () => {
  it('is answered within 3 s all the same, and confirmed only when it is kept', async () => {
    const kept = Promise.withResolvers<void>();
    const { platform, send, calls } = await openTelegram({
      ingress: {
        press: async () => {
          await kept.promise;
          return { accepted: true, message: 'Allow' };
        },
      },
    });
    const buttons = [{ key: 'q:0', label: 'Allow' }];
    const { platformId = '' } = await send({ kind: 'question', text: 'May I?', buttons });
    const began = performance.now();
    platform.press(platformId, 'Allow');
    await until(() => platform.world.answers.length === 1, 'the answer');
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(platform.world.answers).toMatchObject([{ text: '' }]);
    expect(platform.world.updates).toHaveLength(1);
    kept.resolve();
    await until(() => platform.world.updates.length === 0, 'Telegram to know');
    expect(calls('answerCallbackQuery')).toHaveLength(1);
  });
});

describe.concurrent('an album that comes in on Telegram', () => {
  const photo = [{ file_id: 'f', file_unique_id: 'u' }];

  it('is one message, also when its files come in two answers, and none is confirmed before', async () => {
    const kept = Promise.withResolvers<void>();
    const { platform, ingress } = await openTelegram({ take: () => kept.promise });
    const names = platform.album([{ photo, caption: 'Three.' }, { photo }]);
    await until(() => callsOf(platform, 'getUpdates').length > 0, 'the first request');
    names.push(platform.receive({ photo, media_group_id: 'in-1' }));
    const next = platform.say('next');
    await until(() => ingress.heard.length === 1, 'the album');
    expect(ingress.heard[0]).toMatchObject({ text: 'Three.', messageId: names[0] });
    expect(ingress.heard[0]?.files).toHaveLength(3);
    expect([...names, next].some(platform.isAcknowledged)).toBe(false);
    kept.resolve();
    await until(() => platform.isAcknowledged(next), 'Telegram to know');
    expect(names.every(platform.isAcknowledged)).toBe(true);
    expect(ingress.heard.map(({ text }) => text)).toEqual(['Three.', 'next']);
  });

  it('is given again as a whole when the channel ends while its files are collected', async () => {
    const { platform, ingress, channel } = await openTelegram();
    const names = platform.album([{ photo }, { photo }]);
    await until(() => callsOf(platform, 'getUpdates').length > 0, 'the first request');
    await channel.stop();
    expect(ingress.heard).toEqual([]);
    await channel.start(ingress);
    await until(() => names.every(platform.isAcknowledged), 'Telegram to know');
    expect(ingress.heard.map(({ files }) => files?.length)).toEqual([2]);
  });

  it('of ten files does not wait for more', async () => {
    const { platform, ingress } = await openTelegram();
    const names = platform.album(Array.from({ length: 10 }, () => ({ photo })));
    await until(() => names.every(platform.isAcknowledged), 'Telegram to know');
    expect(ingress.heard.map(({ files }) => files?.length)).toEqual([10]);
  });
});
