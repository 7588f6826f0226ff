import { until } from '@plugboard/testkit';
import { describe, expect, it, vi } from 'vitest';
import type { PlatformConfig } from '../../src/config/config.ts';
import { worker } from '../harness.ts';
import { type ChatBench, startChat } from './chat-bench.ts';
import type { ChatOptions } from './chat-channel.ts';

/** `expect.poll` is not for concurrent tests: it takes the test that began last. */
const PATIENCE_MS = 15_000;

interface Asking {
  readonly dialect?: 'agentproc/v4' | 'nuum';
  readonly owners?: readonly string[];
  readonly approvers?: readonly string[];
  readonly timeoutSecs?: number;
  readonly limits?: ChatOptions['limits'];
}

function start({
  dialect = 'agentproc/v4',
  owners = [],
  approvers,
  timeoutSecs = 60,
  limits = { buttons: 5 },
}: Asking = {}): Promise<ChatBench> {
  const fixed = {
    name: 'chat',
    kind: 'webhook',
    settings: {},
    sessions: 'thread',
    progress: 'edit',
  } as const;
  const access = { allow: ['*'], owners, groups: 'mention', pairing: true } as const;
  const platform: PlatformConfig = { ...fixed, access };
  const approvals = {
    default: 'ask',
    rules: [],
    timeoutSecs,
    ...(approvers === undefined ? {} : { approvers }),
  } as const;
  const agents = (at: string) => {
    const config = worker('one', dialect, at);
    return [{ ...config, profile: { ...config.profile, approvals } }];
  };
  return startChat({ agents, platforms: [platform] }, { limits: { textLength: 2_000, ...limits } });
}

const isQuestion = ({ text }: { readonly text: string }): boolean => text.startsWith('❓');

/** The message of the question, once people see it. */
async function question(bench: ChatBench) {
  await vi.waitFor(() => expect(bench.platform.shown.some(isQuestion)).toBe(true), PATIENCE_MS);
  const shown = bench.platform.shown.find(isQuestion);
  if (shown === undefined) throw new Error('There is no question.');
  return shown;
}

describe.concurrent('a question of an agent in a chat', () => {
  it('has a button for each option, and says in the end who chose what', async () => {
    const bench = await start();
    bench.platform.say('hall', 'ask rm', { sender: '7' });
    const asked = await question(bench);
    expect(asked.buttons.map(({ label }) => label)).toEqual(['Allow', 'Deny']);
    bench.platform.say('hall', '', { sender: '7', press: asked.buttons[0]?.key ?? '' });
    await vi.waitFor(() => expect(bench.platform.texts('hall').at(-1)).toBe('rm was allowed'), PATIENCE_MS);
    await vi.waitFor(() => expect(asked.text).toBe('❓ May rm be used?\n✅ Allow — 7 (chat:7)'), PATIENCE_MS);
    expect(asked.buttons).toEqual([]);
  });

  it('is refused to those who may not answer, and still open then', async () => {
    const bench = await start({ owners: ['1'] });
    bench.platform.say('hall', 'ask rm', { sender: '7' });
    const asked = await question(bench);
    const press = { place: 'hall', sender: '7', key: asked.buttons[0]?.key ?? '' };
    const { engine, channels, access } = bench.gateway;
    const channel = channels.get('chat');
    expect(channel).toBeDefined();
    const { createChannelAnswers } = await import('../../src/asks/channel-answers.ts');
    if (channel === undefined) return;
    const answers = createChannelAnswers({ engine, channel, access: access.of('chat') });
    expect(await answers.press(press)).toEqual({
      accepted: false,
      message: 'Only an owner of this channel may answer.',
    });
    expect(await answers.press({ ...press, place: 'elsewhere', sender: '1' })).toMatchObject({
      accepted: false,
    });
    expect(await answers.press({ ...press, key: 'no-such:0' })).toMatchObject({
      message: 'This question is gone.',
    });
    expect(await answers.press({ ...press, sender: '1', key: press.key.replace(/\d+$/, '9') })).toMatchObject(
      {
        accepted: false,
      },
    );
    expect(await answers.press({ ...press, sender: '1' })).toEqual({ accepted: true, message: 'Allow' });
    await vi.waitFor(() => expect(bench.platform.texts('hall').at(-1)).toBe('rm was allowed'), PATIENCE_MS);
    expect((await answers.press({ ...press, sender: '1' })).message).toMatch(/answered already/);
  });

  it('is answered by the approvers of the profile alone, where it names them', async () => {
    const bench = await start({ approvers: ['chat:2'] });
    bench.platform.say('hall', 'ask rm', { sender: '7' });
    const asked = await question(bench);
    bench.platform.say('hall', '', { sender: '7', press: asked.buttons[0]?.key ?? '' });
    bench.platform.say('hall', '', { sender: '2', press: asked.buttons[1]?.key ?? '' });
    await vi.waitFor(() => expect(bench.platform.texts('hall').at(-1)).toBe('rm was denied: '), PATIENCE_MS);
    await vi.waitFor(() => expect(asked.text).toMatch(/🚫 Deny — 2/), PATIENCE_MS);
  });

  it('lists numbered choices where there are no buttons, and takes the number or the words', async () => {
    const bench = await start({ limits: {} });
    bench.platform.say('hall', 'ask rm', { sender: '7' });
    const asked = await question(bench);
    expect(asked.text).toContain('1. Allow\n2. Deny\nAnswer with the number.');
    expect(asked.buttons).toEqual([]);
    bench.platform.say('hall', ' deny ', { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.texts('hall').at(-1)).toBe('rm was denied: '), PATIENCE_MS);
  });

  it('that is answered elsewhere is shown as answered here', async () => {
    const bench = await start();
    bench.platform.say('hall', 'ask rm', { sender: '7' });
    const asked = await question(bench);
    const id = (asked.buttons[0]?.key ?? '').replace(/:\d+$/, '');
    const answer = { by: 'page', via: 'person', option: 'deny' } as const;
    await until(() => bench.gateway.asks.answer(id, answer), 'the answer to be taken');
    await vi.waitFor(() => expect(asked.text).toBe('❓ May rm be used?\n🚫 Deny — page'), PATIENCE_MS);
  });

  it('that nobody answers says so, and its buttons do nothing then', async () => {
    const bench = await start({ timeoutSecs: 1 });
    bench.platform.say('hall', 'ask rm', { sender: '7' });
    const asked = await question(bench);
    const key = asked.buttons[0]?.key ?? '';
    await vi.waitFor(() => expect(asked.text).toMatch(/⌛ Nobody answered in time/), PATIENCE_MS);
    expect(asked.buttons).toEqual([]);
    bench.platform.say('hall', '', { sender: '7', press: key });
    await vi.waitFor(() => expect(bench.platform.acknowledged).toBe(2), PATIENCE_MS);
    expect(bench.platform.texts('hall').filter((text) => text === 'rm was allowed')).toEqual([]);
  });

  it('for a text is answered by the person in a private chat, also where the channel has owners', async () => {
    const bench = await start({ dialect: 'nuum', owners: ['1'] });
    bench.platform.say('hall', 'name', { sender: '7' });
    await question(bench);
    bench.platform.say('hall', 'Ada', { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.texts('hall').at(-1)).toBe('named: Ada'), PATIENCE_MS);
  });

  it('for a text takes no command for its answer', async () => {
    const bench = await start({ dialect: 'nuum' });
    bench.platform.say('hall', 'name', { sender: '7' });
    const asked = await question(bench);
    bench.platform.say('hall', '/status', { sender: '7' });
    await vi.waitFor(
      () => expect(bench.platform.texts('hall').join('\n')).toMatch(/one is at work|running|answers/i),
      PATIENCE_MS,
    );
    expect(asked.text).not.toContain('✅');
    bench.platform.say('hall', '/stop', { sender: '7' });
    await vi.waitFor(() => expect(asked.text).toMatch(/⌛/), PATIENCE_MS);
  });

  it('lets messages of people who may not answer reach the agent, and tells them once', async () => {
    const bench = await start({ dialect: 'nuum', owners: ['1'], approvers: ['chat:2'] });
    bench.platform.say('hall', 'name', { sender: '7' });
    await question(bench);
    for (const text of ['Ada', 'and more']) bench.platform.say('hall', text, { sender: '7' });
    const { store } = bench;
    const [session] = await store.sessions.list({ limit: 1 });
    const said = async (): Promise<string> =>
      JSON.stringify(await store.log.read(session?.id ?? '', { after: 0, limit: 100 }));
    await vi.waitFor(async () => expect(await said()).toMatch(/Ada.*and more/s), PATIENCE_MS);
    const refusals = bench.platform.texts('hall').filter((text) => text.startsWith('Only the approvers'));
    expect(refusals).toHaveLength(1);
  });
});
