import { readFileSync } from 'node:fs';
import { type FakeWhatsapp, onTestEnd, startFakeWhatsapp, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { PlatformConfig } from '../../../src/config/config.ts';
import { type Bench, startBench, worker } from '../../harness.ts';
import { createWhatsapp } from './bench.ts';

/** A gateway with the worker agent behind WhatsApp; webhooks go straight to the channel. */
async function start(
  dialect: 'agentproc/v4' | 'terminal' = 'agentproc/v4',
): Promise<Bench & { readonly platform: FakeWhatsapp }> {
  const platform = await startFakeWhatsapp();
  onTestEnd(() => platform[Symbol.asyncDispose]());
  const config: PlatformConfig = {
    ...{ name: 'whatsapp', kind: 'whatsapp', settings: {}, sessions: 'thread', progress: 'message' },
    access: { allow: ['*'], owners: [], groups: 'mention', pairing: true },
  };
  const approvals = { default: 'ask', rules: [], timeoutSecs: 60 } as const;
  const agents = (at: string) => {
    const agent = worker('one', dialect, at);
    return [{ ...agent, profile: { ...agent.profile, approvals } }];
  };
  const bench = await startBench({ agents, platforms: [config], channels: [createWhatsapp(platform)] });
  return { ...bench, platform };
}

describe('a person on WhatsApp', () => {
  it('is answered by the agent, and decides by a button', async () => {
    const { platform } = await start();
    platform.say('stream hello there');
    await until(() => platform.shown().length === 1, 'the answer', 20_000);
    expect(platform.shown()[0]?.text).toBe('hello there');
    platform.say('ask rm');
    await until(() => platform.shown().length === 2, 'the question', 20_000);
    const asked = platform.shown()[1];
    expect(asked?.buttons).toEqual(['Allow', 'Deny']);
    platform.press(asked?.platformId ?? '', 'Allow');
    await until(() => platform.shown().some(({ text }) => text === 'rm was allowed'), 'the end', 20_000);
    await until(() => platform.shown().some(({ text }) => text.includes('✅ Allow')), 'who decided', 20_000);
  });

  it('hands a picture to the agent, and gets a file from it', async () => {
    const { platform } = await start('terminal');
    platform.sendFile('image', { mime: 'image/png', bytes: Buffer.from('picture'), caption: 'attached' });
    await until(() => platform.shown().length === 1, 'the answer', 20_000);
    const [, path = ''] = platform.shown()[0]?.text.split(': ') ?? [];
    expect(readFileSync(path, 'utf8')).toBe('picture');
    platform.say('file a.txt');
    await until(() => platform.shown().length === 2, 'the file', 20_000);
    expect(platform.shown()[1]).toMatchObject({ text: 'Here it is.', files: ['a.txt'] });
  });

  it('whose answer fails after it was accepted leaves a failed delivery for the operator', async () => {
    const { platform, store } = await start();
    platform.statuses = ['sent', 'failed'];
    platform.say('hello');
    const failed = () => store.outbox.list({ state: 'failed', limit: 10 });
    await until(async () => (await failed()).length === 1, 'the failure', 20_000);
    expect((await failed())[0]?.problem).toMatch(/^WhatsApp did not deliver it \(131047\)/);
  });
});
