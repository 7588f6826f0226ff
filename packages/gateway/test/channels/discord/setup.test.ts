import { onTestEnd, startFakeDiscord } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { create, prove } from '../../../src/channels/discord/discord.ts';
import { discordKind } from '../../../src/channels/discord/kind.ts';
import { discordFields, tokenProblem } from '../../../src/channels/discord/settings.ts';
import { Secret } from '../../../src/config/secret.ts';
import type { LogFields, Logger } from '../../../src/log.ts';
import { contextFor, givenFor, listenFor, settingsFor } from './bench.ts';

async function startFake(options = {}) {
  const fake = await startFakeDiscord(options);
  onTestEnd(() => fake[Symbol.asyncDispose]());
  return fake;
}

describe('setting Discord up', () => {
  it('names the bot, with a link that adds it to a server', async () => {
    const fake = await startFake();
    const proof = await prove({ settings: settingsFor(fake) });
    expect(proof).toMatchObject({ name: 'plugboard', remarks: [] });
    const link = new URL(proof.link?.() ?? '');
    expect(Object.fromEntries(link.searchParams)).toEqual({
      client_id: fake.world.applicationId,
      scope: 'bot applications.commands',
      permissions: '309237763136',
    });
  });

  it('remarks that the message-content intent is off, and that few starts are left', async () => {
    const fake = await startFake({ contentIntent: false, identifies: 3 });
    const settings = settingsFor(fake);
    const { remarks } = await prove({ settings });
    expect(remarks).toEqual([
      expect.stringContaining('Switch "Message Content Intent" on'),
      expect.stringContaining('3 more starts'),
    ]);
    expect((await prove({ settings: { ...settings, message_content: false } })).remarks).toHaveLength(1);
  });

  it('remarks that the bot is in no server, with the link that adds it', async () => {
    const fake = await startFake();
    fake.world.isInServer = false;
    const { remarks } = await prove({ settings: settingsFor(fake) });
    expect(remarks).toEqual([expect.stringMatching(/in no server yet.*https:\/\/discord\.com\/oauth2/)]);
  });

  it('refuses a wrong token with a sentence that does not quote it', async () => {
    const fake = await startFake();
    const settings = { ...settingsFor(fake), token: new Secret('wrong.secret.token') };
    const error = await prove({ settings }).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/401/);
    expect(String(error)).not.toContain('secret');
    await expect(prove({ settings: { ...settings, token: new Secret('hello') } })).rejects.toThrow(
      /three parts/,
    );
  });

  it.each([
    ['MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs', undefined],
    ['Bot MTk4.Cl2FMQ.ZnCjm1XV', 'without "Bot"'],
    ['123456789:AAF', 'three parts'],
    ['', 'three parts'],
  ])('knows whether %j can be a token', (token, problem) => {
    if (problem === undefined) expect(tokenProblem(token)).toBeUndefined();
    else expect(tokenProblem(token)).toContain(problem);
    expect(discordKind.setup.questions[0]?.check?.(token)).toBe(tokenProblem(token));
  });

  it('takes an address without TLS on this machine alone', () => {
    const token = '${TOKEN}';
    const isTaken = (api: string): boolean => discordFields.safeParse({ token, api }).success;
    expect(discordFields.parse({ token })).toMatchObject({
      api: 'https://discord.com/api',
      message_content: true,
    });
    expect(isTaken('http://127.0.0.1:8080/api')).toBe(true);
    expect(isTaken('http://[::1]:8080/api')).toBe(true);
    expect(isTaken('http://10.0.0.1/api')).toBe(false);
    expect(isTaken('ftp://example.org')).toBe(false);
    expect(isTaken('nonsense')).toBe(false);
  });

  it('writes the token into no log, also when everything fails', async () => {
    const fake = await startFake();
    const lines: string[] = [];
    const write = (message: string, fields?: LogFields) =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const log: Logger = { debug: write, info: write, warn: write, error: write };
    const channel = create(givenFor(fake, { log }));
    onTestEnd(() => channel.stop());
    fake.server.trouble({ status: 500 }, ({ method }) => method === 'PUT');
    const ingress = listenFor(() => Promise.reject(new Error('The disk is full.')));
    ingress.press = () => Promise.reject(new Error('The disk is full.'));
    await channel.start(ingress);
    fake.say('one');
    fake.server.trouble('cut', ({ path }) => path.endsWith('/messages'));
    await channel
      .send(fake.place, { kind: 'message', text: 'x', media: [] }, contextFor())
      .catch((error: Error) => lines.push(error.stack ?? ''));
    fake.gateway.cut();
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.join('\n')).toMatch(/cannot be|could not be|was closed/);
    expect(lines.join('\n')).not.toContain(String(fake.settings.token));
  });
});
