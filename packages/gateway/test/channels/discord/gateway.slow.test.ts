import { type FakeDiscord, onTestEnd, startFakeDiscord, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { AccessPolicy } from '../../../src/access/policy.ts';
import { createPlatformChannel } from '../../../src/channels/create-channels.ts';
import type { AgentConfig, PlatformConfig } from '../../../src/config/config.ts';
import { silentLogger } from '../../../src/log.ts';
import { type Bench, startBench, worker } from '../../harness.ts';
import { settingsFor } from './bench.ts';

interface Started extends Bench {
  readonly fake: FakeDiscord;
  texts(place?: string): string[];
}

interface Starting {
  readonly agents?: (at: string) => readonly AgentConfig[];
  readonly access?: Partial<AccessPolicy>;
  readonly fake?: FakeDiscord;
}

/** A gateway with real agents behind, and Discord before it. */
async function start({ agents, access, fake: given }: Starting = {}): Promise<Started> {
  const fake = given ?? (await startFakeDiscord());
  if (given === undefined) onTestEnd(() => fake[Symbol.asyncDispose]());
  const platform: PlatformConfig = {
    ...({ name: 'discord', kind: 'discord', sessions: 'thread', progress: 'edit' } as const),
    settings: settingsFor(fake),
    access: { allow: ['*'], owners: [], groups: 'mention', pairing: true, ...access },
  };
  const channel = await createPlatformChannel(platform, 1_000_000, silentLogger);
  const bench = await startBench({
    ...{ platforms: [platform], channels: [channel] },
    agents: agents ?? ((at) => [worker('one', 'terminal', at)]),
  });
  // What is said before the first session, Discord tells nobody.
  await until(() => fake.world.sessions.size > 0, 'the session');
  return { ...bench, fake, texts: (place) => fake.shown(place).map(({ text }) => text) };
}

const asking = (at: string, dialect: 'agentproc/v4' | 'nuum' = 'agentproc/v4'): AgentConfig[] => {
  const config = worker('one', dialect, at);
  const approvals = { default: 'ask', rules: [], timeoutSecs: 60 } as const;
  return [{ ...config, profile: { ...config.profile, approvals } }];
};

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.concurrent('an agent on Discord', () => {
  it('answers a message, growing in one message while it writes', async () => {
    const { fake, texts } = await start({ agents: (at) => [worker('one', 'agentproc/v4', at)] });
    fake.say('slowly one two three four five six');
    await until(() => texts()[0] === 'one two three four five six', 'the answer', 20_000);
    expect(fake.shown()).toHaveLength(1);
    const edits = fake.server.calls.filter(({ method }) => method === 'PATCH');
    expect(edits.length).toBeGreaterThanOrEqual(2);
    const times = edits.slice(0, -1).map(({ at }) => at);
    expect(times.slice(1).every((at, index) => at - (times[index] ?? 0) > 1_000)).toBe(true);
    expect(fake.world.typings).toContain(fake.place);
  });

  it('is given a picture, and gives one', async () => {
    const { fake, texts } = await start();
    fake.say('attached', { files: [{ name: 'cat.png', type: 'image/png', bytes: PNG }] });
    await until(() => texts().length === 1, 'the answer', 20_000);
    expect(texts()[0]).toMatch(/media.*\.png$/);
    fake.say('file made.png');
    await until(() => fake.shown().length === 2, 'the picture', 20_000);
    expect(fake.shown()[1]).toMatchObject({ text: 'Here it is.', files: ['made.png'] });
  });

  it('answers in the thread that asked, and hears in a server only what is addressed to it', async () => {
    const { fake, texts } = await start();
    const { bot } = fake.world;
    const thread = fake.createThread(fake.textChannel);
    fake.say('not for you', { place: thread.id });
    fake.say(`<@${bot.id}> hello thread`, { place: thread.id, mentions: [bot.id] });
    fake.say('hello there');
    await until(() => texts(thread.id).length + texts().length === 2, 'both answers', 20_000);
    expect(texts(thread.id)).toEqual(['hello thread']);
    expect(texts()).toEqual(['hello there']);
    expect(texts(fake.textChannel)).toEqual([]);
  });

  it('asks for permission by buttons, which strangers cannot press', async () => {
    const fake = await startFakeDiscord();
    onTestEnd(() => fake[Symbol.asyncDispose]());
    const { texts } = await start({ agents: asking, fake, access: { owners: [fake.person] } });
    fake.say('ask rm');
    await until(() => fake.shown()[0]?.buttons.length === 2, 'the question', 20_000);
    const [{ platformId = '' } = {}] = fake.shown();
    const stranger = fake.press(platformId, 'Allow', { person: 'eve' });
    await until(() => stranger.whispers.length === 1, 'the refusal');
    expect(stranger.whispers).toEqual(['Only an owner of this channel may answer.']);
    const press = fake.press(platformId, 'Allow');
    await until(() => texts().includes('rm was allowed'), 'the answer', 20_000);
    expect(press.answer?.type).toBe(6);
    await until(() => fake.shown()[0]?.buttons.length === 0, 'the buttons to go');
    expect(texts()[0]).toBe(`❓ May rm be used?\n✅ Allow — ADA (discord:${fake.person})`);
    // Somebody had the message still on the screen.
    const message = fake.world.channels.get(fake.place)?.messages.find(({ id }) => id === platformId);
    const key = press.data.custom_id as string;
    const button = { type: 2, style: 3, label: 'Allow', custom_id: key };
    if (message !== undefined) message.components = [{ type: 1, components: [button] }];
    const late = fake.press(platformId, 'Allow');
    await until(() => late.whispers.length === 1, 'the second answer');
    expect(late.whispers[0]).toMatch(/answered already/);
  });

  it('takes the buttons of a question away whose sending was cut off', async () => {
    const fake = await startFakeDiscord();
    onTestEnd(() => fake[Symbol.asyncDispose]());
    const { texts } = await start({ agents: asking, fake });
    fake.server.trouble('cut', ({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    fake.say('ask rm');
    await until(() => fake.shown()[0]?.buttons.length === 2, 'the question', 20_000);
    fake.press(fake.shown()[0]?.platformId ?? '', 'Allow');
    await until(() => texts().includes('rm was allowed'), 'the answer', 20_000);
    await until(() => fake.shown()[0]?.buttons.length === 0, 'the buttons to go', 20_000);
    expect(texts()).toEqual([expect.stringMatching(/^❓ May rm be used\?\n✅ Allow/), 'rm was allowed']);
  });

  it('asks for a text by a form', async () => {
    const { fake, texts } = await start({ agents: (at) => asking(at, 'nuum') });
    fake.say('name');
    await until(() => fake.shown()[0]?.buttons.length === 1, 'the question', 20_000);
    const [{ platformId = '' } = {}] = fake.shown();
    const opened = fake.press(platformId, 'Answer');
    await until(() => opened.answer?.type === 9, 'the form');
    fake.submit(opened, 'Plugboard');
    await until(() => texts().includes('named: Plugboard'), 'the answer', 20_000);
    await until(() => fake.shown()[0]?.buttons.length === 0, 'the button to go');
  });

  it('obeys commands of the menu, and answers them in the place', async () => {
    const { fake, texts } = await start();
    const used = fake.command('status');
    await until(() => texts().length === 1, 'the answer', 20_000);
    expect(texts()[0]).toMatch(/^Agent: one\./);
    expect(used.whispers).toEqual(['`/status`']);
  });

  it('gives a stranger a code, and talks once the operator has entered it', async () => {
    const { fake, texts, gateway } = await start({ access: { allow: [] } });
    fake.say('hello');
    await until(() => texts().length === 1, 'the code', 20_000);
    const [code = ''] = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(texts()[0] ?? '') ?? [];
    const person = await gateway.access.accept(code, 'operator');
    expect(person).toMatchObject({ channel: 'discord', sender: fake.person, name: 'ADA' });
    fake.say('now');
    await until(() => texts().at(-1) === 'now', 'the answer', 20_000);
  });

  it('answers once when the answer of Discord to the message is lost', async () => {
    const { fake, texts, store } = await start();
    fake.server.trouble('cut', ({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    fake.say('hello');
    await until(
      async () => (await store.outbox.list({ state: 'sent', limit: 9 })).length === 1,
      'it to be sent',
      20_000,
    );
    expect(texts()).toEqual(['hello']);
  });

  it('sends a new message when its growing one was deleted', async () => {
    const { fake, texts } = await start({ agents: (at) => [worker('one', 'agentproc/v4', at)] });
    fake.say('slowly one two three four five six seven');
    await until(() => fake.shown().length === 1, 'the first words', 20_000);
    fake.remove(fake.shown()[0]?.platformId ?? '');
    await until(() => texts().at(-1) === 'one two three four five six seven', 'the answer', 20_000);
    expect(fake.shown()).toHaveLength(1);
  });
});
