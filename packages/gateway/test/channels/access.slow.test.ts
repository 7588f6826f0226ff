import { profileFor } from '@plugboard/testkit';
import { describe, expect, it, vi } from 'vitest';
import type { AccessPolicy } from '../../src/access/policy.ts';
import type { AgentConfig, PlatformConfig } from '../../src/config/config.ts';
import { type ChatBench, startChat } from './chat-bench.ts';

/** `expect.poll` is not for concurrent tests: it takes the test that began last. */
const PATIENCE_MS = 15_000;

const NOBODY: AccessPolicy = { allow: [], owners: [], groups: 'mention', pairing: true };

function platform(access: Partial<AccessPolicy>, more: Partial<PlatformConfig> = {}): PlatformConfig {
  const fixed = {
    name: 'chat',
    kind: 'webhook',
    settings: {},
    sessions: 'thread',
    progress: 'edit',
  } as const;
  return { ...fixed, ...more, access: { ...NOBODY, ...access } };
}

function start(access: Partial<AccessPolicy>, more?: Partial<PlatformConfig>): Promise<ChatBench> {
  return startChat({
    agents: (at) => [createEcho(at)],
    platforms: [platform(access, more)],
  });
}

function createEcho(workspace: string, name = 'echo'): AgentConfig {
  const argv = ['/bin/sh', '-c', 'echo "heard $AGENT_MESSAGE"'];
  const profile = { ...profileFor('agentproc', argv, workspace), name };
  return { name, profile, share: false, parkAfterMs: 0, onCrash: 'fail' };
}

/** The code in the last thing that was said in a place. */
async function codeIn(bench: ChatBench, place: string): Promise<string> {
  await vi.waitFor(
    () => expect(bench.platform.texts(place).at(-1)).toMatch(/[A-Z2-9]{4}-[A-Z2-9]{4}/),
    PATIENCE_MS,
  );
  return /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(bench.platform.texts(place).at(-1) ?? '')?.[0] ?? '';
}

describe.concurrent('who may talk in a channel', () => {
  it('a stranger is given a code once, and talks after the operator has entered it', async () => {
    const bench = await start({});
    bench.platform.say('p1', 'hello', { sender: '7' });
    const code = await codeIn(bench, 'p1');
    bench.platform.say('p1', 'hello?', { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.acknowledged).toBe(2), PATIENCE_MS);
    const person = await bench.gateway.access.accept(code.toLowerCase().replace('-', ' '), 'operator');
    expect(person).toMatchObject({ channel: 'chat', sender: '7', state: 'paired', pairedBy: 'operator' });
    await vi.waitFor(
      () => expect(bench.platform.texts('p1').at(-1)).toMatch(/^You may talk to me now/),
      PATIENCE_MS,
    );
    bench.platform.say('p1', 'now', { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.texts('p1').at(-1)).toBe('heard now'), PATIENCE_MS);
    // The code, the welcome, and the answer: no second code, and nothing that was said before is answered.
    expect(bench.platform.texts('p1')).toHaveLength(3);
    expect((await bench.store.sessions.list({ limit: 9 })).map(({ place }) => place)).toEqual(['p1']);
  });

  it('an invitation lets the first person in who sends it, also behind /start', async () => {
    const bench = await start({});
    const code = await bench.gateway.access.invite('chat', 'operator');
    bench.platform.say('p1', `/start ${code}`, { sender: '7' });
    await vi.waitFor(
      () => expect(bench.platform.texts('p1').at(-1)).toMatch(/^You may talk to me now/),
      PATIENCE_MS,
    );
    bench.platform.say('p2', code, { sender: '8' });
    await codeIn(bench, 'p2');
    bench.platform.say('p1', 'hi', { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.texts('p1').at(-1)).toBe('heard hi'), PATIENCE_MS);
  });

  it('an owner lets a stranger in by /pair', async () => {
    const bench = await start({ owners: ['1'] });
    bench.platform.say('p7', 'hello', { sender: '7' });
    const code = await codeIn(bench, 'p7');
    bench.platform.say('p1', '/pair AAAA-AAAA', { sender: '1' });
    await bench.sees('p1', ['Nobody who is waiting has this code, or it is older than an hour.']);
    bench.platform.say('p1', `/pair ${code}`, { sender: '1' });
    await vi.waitFor(
      () => expect(bench.platform.texts('p1').at(-1)).toBe('7 may talk to me now.'),
      PATIENCE_MS,
    );
    expect(await bench.store.people.get('chat', '7')).toMatchObject({ pairedBy: 'chat:1' });
  });

  it('/help names /pair to an owner where strangers are given codes, and to nobody else', async () => {
    const pair = '/pair CODE lets in the person who was given the code';
    for (const [pairing, sender, isNamed] of [
      [true, '1', true],
      [true, '7', false],
      [false, '1', false],
    ] as const) {
      const bench = await start({ owners: ['1'], allow: ['7'], pairing });
      for (const command of ['/help', '/start']) {
        bench.platform.say(command, command, { sender });
        await vi.waitFor(
          () => expect(bench.platform.texts(command).at(-1)).toContain('Begin with //'),
          PATIENCE_MS,
        );
        expect(bench.platform.texts(command).join('\n').includes(pair)).toBe(isNamed);
      }
    }
  });

  it('/pair without a code says what is missing, and one with a space in it is a code', async () => {
    const bench = await start({ owners: ['1'] });
    bench.platform.say('p1', '/pair', { sender: '1' });
    await vi.waitFor(
      () => expect(bench.platform.texts('p1').at(-1)).toMatch(/^Name the code .*: \/pair CODE\.$/),
      PATIENCE_MS,
    );
    bench.platform.say('p7', 'hello', { sender: '7' });
    const code = await codeIn(bench, 'p7');
    bench.platform.say('p1', `/pair ${code.replace('-', ' ')}`, { sender: '1' });
    await vi.waitFor(
      () => expect(bench.platform.texts('p1').at(-1)).toBe('7 may talk to me now.'),
      PATIENCE_MS,
    );
  });

  it('a removed person may talk no longer', async () => {
    const bench = await start({ pairing: false });
    await bench.store.people.pair({ channel: 'chat', sender: '7', name: '', place: 'p1', by: 'x' });
    bench.platform.say('p1', 'one', { sender: '7' });
    await bench.sees('p1', ['heard one']);
    await bench.store.people.remove('chat', '7');
    bench.platform.say('p1', 'two', { sender: '7' });
    await vi.waitFor(
      () =>
        expect(bench.platform.texts('p1').at(-1)).toBe('I only answer people whom my operator has let in.'),
      PATIENCE_MS,
    );
    bench.platform.say('p1', 'three', { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.acknowledged).toBe(3), PATIENCE_MS);
    expect(bench.platform.texts('p1')).toHaveLength(2);
  });

  it('a person who has used up the messages of a day is told so once, and commands go on', async () => {
    const bench = await start({ allow: ['*'], owners: ['1'], turnsPerDay: 1 });
    for (const text of ['one', 'two', 'three', '/status']) bench.platform.say('p7', text, { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.texts('p7')).toHaveLength(3), PATIENCE_MS);
    await bench.rest();
    const texts = bench.platform.texts('p7');
    expect(texts).toContain('heard one');
    expect(texts.filter((text) => /used up your 1 message of today/.test(text))).toHaveLength(1);
    expect(texts.some((text) => text.startsWith('Agent: echo'))).toBe(true);
    for (const text of ['one', 'two']) bench.platform.say('p1', text, { sender: '1' });
    await vi.waitFor(() => expect(bench.platform.texts('p1').at(-1)).toBe('heard two'), PATIENCE_MS);
  });

  it('a channel with agents of its own lets nobody choose another', async () => {
    const bench = await startChat({
      agents: (at) => [createEcho(at), createEcho(at, 'root')],
      platforms: [platform({ allow: ['*'] }, { agent: 'echo', agents: ['echo'] })],
    });
    bench.platform.say('p1', '/agent root', { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.texts('p1').at(-1)).toMatch(/root/), PATIENCE_MS);
    bench.platform.say('p1', '/agent', { sender: '7' });
    await vi.waitFor(() => expect(bench.platform.texts('p1').length).toBe(2), PATIENCE_MS);
    const [session] = await bench.store.sessions.list({ limit: 1 });
    expect(session?.agent).toBe('echo');
    expect(bench.platform.texts('p1').at(-1)).not.toContain('root');
  });

  it('a wrong code is answered, also to a person who was given a code', async () => {
    const bench = await start({});
    bench.platform.say('p1', 'hello', { sender: '7' });
    await codeIn(bench, 'p1');
    bench.platform.say('p1', '/start WRNG-CODE', { sender: '7' });
    await vi.waitFor(
      () => expect(bench.platform.texts('p1').at(-1)).toMatch(/^This code is not good/),
      PATIENCE_MS,
    );
  });

  it('strangers who cannot be given a code in a flood of them are not recorded as asking', async () => {
    const bench = await start({});
    for (let n = 0; n < 40; n += 1) bench.platform.say(`p${n}`, 'hello', { sender: String(n) });
    await vi.waitFor(() => expect(bench.platform.acknowledged).toBe(40), PATIENCE_MS);
    const asking = await bench.store.people.list({ limit: 100 });
    expect(asking).toHaveLength(20);
    for (const { place } of asking) await codeIn(bench, place);
  });
});
