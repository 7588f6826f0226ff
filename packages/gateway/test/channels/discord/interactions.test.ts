import { type FakeInteraction, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Press, Pressed } from '../../../src/channels/channel.ts';
import { contextFor, type DiscordBench, startDiscord } from './bench.ts';

const KEY = '0195f2b1c3d4a1b2c3d4e5f6a7b8c9d0';

const QUESTION = {
  ...({ kind: 'question', text: '❓ May rm be used?', media: [] } as const),
  buttons: [
    { key: `${KEY}:0`, label: 'Allow', style: 'allow' },
    { key: `${KEY}:1`, label: 'Deny', style: 'deny' },
    { key: `${KEY}:2`, label: 'x'.repeat(100) },
  ],
} as const;

async function ask({ channel, fake }: DiscordBench, place = fake.place): Promise<string> {
  const { platformId = '' } = await channel.send(place, QUESTION, contextFor());
  return platformId;
}

const isAnswered = (one: FakeInteraction) => () => one.answer !== undefined;

describe('a question on Discord', () => {
  it('has a button for each choice, whose press is passed on and acknowledged', async () => {
    const bench = await startDiscord();
    const { fake, ingress } = bench;
    const id = await ask(bench);
    const [first, second, third] = fake.shown()[0]?.buttons ?? [];
    expect([first, second, third?.length]).toEqual(['Allow', 'Deny', 80]);
    const press = fake.press(id, 'Deny');
    await until(isAnswered(press), 'the press to be answered');
    expect(press.answer?.type).toBe(6);
    expect(ingress.pressed).toEqual([
      { place: fake.place, sender: fake.person, senderName: 'ADA', key: `${KEY}:1` },
    ]);
  });

  it('of a server has the place of the channel, and loses its buttons by an edit without them', async () => {
    const bench = await startDiscord();
    const { fake, ingress, channel } = bench;
    const id = await ask(bench, fake.textChannel);
    await until(isAnswered(fake.press(id, 'Allow', { person: 'bob' })), 'the press to be answered');
    expect(ingress.pressed[0]).toMatchObject({ place: fake.textChannel, senderName: 'BOB' });
    await channel.edit?.(fake.textChannel, id, { kind: 'question', text: 'over', media: [], buttons: [] });
    expect(fake.shown(fake.textChannel)).toMatchObject([{ text: 'over', buttons: [] }]);
  });

  it('tells a person who may not answer so, and nobody else', async () => {
    const bench = await startDiscord();
    bench.ingress.press = async () => ({ accepted: false, message: 'You may not answer here.' });
    const press = bench.fake.press(await ask(bench), 'Allow', { person: 'eve' });
    await until(isAnswered(press), 'the press to be answered');
    expect(press.answer).toMatchObject({ type: 4, data: { flags: 64 } });
    expect(press.whispers).toEqual(['You may not answer here.']);
    expect(bench.fake.shown()).toHaveLength(1);
  });

  it('whose press cannot be kept says so, and can be pressed again', async () => {
    const bench = await startDiscord();
    bench.ingress.press = () => Promise.reject(new Error('The disk is full.'));
    const press = bench.fake.press(await ask(bench), 'Allow');
    await until(isAnswered(press), 'the press to be answered');
    expect(press.whispers).toEqual(['That could not be kept. Please press the button again.']);
  });

  it('acknowledges a press in time while the disk is slow, and tells the outcome later', async () => {
    const bench = await startDiscord({ fake: { interactionMs: 3_000 } });
    const kept = Promise.withResolvers<Pressed>();
    const pressed: Press[] = [];
    bench.ingress.press = (press) => {
      pressed.push(press);
      return kept.promise;
    };
    const press = bench.fake.press(await ask(bench), 'Allow');
    await until(isAnswered(press), 'the press to be acknowledged', 3_000);
    expect(press.answer?.type).toBe(6);
    expect(press.whispers).toEqual([]);
    kept.resolve({ accepted: false, message: 'It was answered already.' });
    await until(() => press.whispers.length === 1, 'the outcome to be told');
    expect(press.whispers).toEqual(['It was answered already.']);
    expect(pressed).toHaveLength(1);
  });

  it.each([
    ['too late', { interactionMs: -1 }],
    ['a second time', {}],
  ])('that is answered %s does no harm', async (title, options) => {
    const bench = await startDiscord({ fake: options });
    const { fake } = bench;
    const id = await ask(bench);
    const callbacks = () => fake.server.calls.filter(({ path }) => path.endsWith('/callback')).length;
    const press = fake.press(id, 'Allow');
    if (title === 'a second time') press.answer = { type: 6 };
    await until(() => callbacks() === 1, 'the answer');
    const last = fake.say('still here');
    await until(() => bench.ingress.heard.some(({ messageId }) => messageId === last), 'a message');
    expect(callbacks()).toBe(1);
  });

  it('that asks for a text opens a form, whose text is passed on under the key', async () => {
    const bench = await startDiscord();
    const { fake, channel, ingress } = bench;
    const title = '❓ Which *name* should the branch have, and why should it have it?';
    const body = { kind: 'question', text: title, media: [], asksText: true, textKey: `${KEY}:0` } as const;
    const { platformId = '' } = await channel.send(fake.place, body, contextFor());
    const opened = fake.press(platformId, 'Answer');
    await until(isAnswered(opened), 'the form');
    expect(opened.answer?.type).toBe(9);
    expect(String(opened.answer?.data?.title)).toMatch(/^Which name should the branch have/);
    const sent = fake.submit(opened, 'main, it is short');
    await until(isAnswered(sent), 'the form to be acknowledged');
    expect(ingress.pressed).toMatchObject([
      { place: fake.place, sender: fake.person, key: `${KEY}:0`, text: 'main, it is short' },
    ]);
  });
});

describe('the commands of a bot', () => {
  it('are in the menu of Discord, with an argument where they take one', async () => {
    const { fake } = await startDiscord();
    expect(fake.world.commands).toEqual([
      { name: 'stop', description: 'stops the running turn' },
      {
        ...{ name: 'agent', description: 'lets another agent answer from now on' },
        options: [{ type: 3, name: 'argument', description: 'name' }],
      },
    ]);
  });

  it('are messages that begin with a slash, and are confirmed to the person alone', async () => {
    const { fake, ingress } = await startDiscord();
    const used = fake.command('agent', 'coder', { place: fake.textChannel });
    await until(isAnswered(used), 'the command to be answered');
    expect(ingress.heard).toMatchObject([
      {
        ...{ text: '/agent coder', messageId: used.id, place: fake.textChannel },
        group: { place: fake.textChannel, addressed: true },
      },
    ]);
    expect(used.whispers).toEqual(['`/agent coder`']);
  });

  it('of a thread belong to its channel', async () => {
    const { fake, ingress } = await startDiscord();
    const thread = fake.createThread(fake.textChannel);
    await until(isAnswered(fake.command('stop', undefined, { place: thread.id })), 'an answer');
    expect(ingress.heard).toMatchObject([{ place: thread.id, group: { place: fake.textChannel } }]);
  });

  it('are acknowledged in time while the disk is slow, behind the messages of their place', async () => {
    const kept = Promise.withResolvers<void>();
    const { fake, ingress } = await startDiscord({ take: () => kept.promise });
    fake.say('before');
    const used = fake.command('stop');
    await until(isAnswered(used), 'the command to be acknowledged', 3_000);
    expect(used.answer?.type).toBe(5);
    expect(ingress.heard.map(({ text }) => text)).toEqual(['before']);
    kept.resolve();
    await until(() => used.whispers.length > 0, 'the confirmation');
    expect(ingress.heard.map(({ text }) => text)).toEqual(['before', '/stop']);
  });

  it('may be missing in the menu: the bot starts all the same', async () => {
    const bench = await startDiscord();
    await bench.channel.stop();
    bench.fake.server.trouble({ status: 500 }, ({ method }) => method === 'PUT', 9);
    await bench.channel.start(bench.ingress);
    await bench.send('here');
    expect(bench.fake.shown()).toHaveLength(1);
  });
});
