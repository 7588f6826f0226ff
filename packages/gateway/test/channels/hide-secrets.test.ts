import { describe, expect, it } from 'vitest';
import { type Channel, SendError } from '../../src/channels/channel.ts';
import { createHide, hideSecretsOf } from '../../src/channels/hide-secrets.ts';
import type { ChannelGiven, ChannelModule } from '../../src/channels/kind.ts';
import { systemClock } from '../../src/clock.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Logger } from '../../src/log.ts';
import { contextOf, textOf } from './suite/bench.ts';

const TOKEN = 'EAAGabcdefghijklmnop';
const settings = { token: new Secret(TOKEN), api: 'http://127.0.0.1' };

function open(send: Channel['send'], lines: string[] = []) {
  const note = (message: string, fields?: object): void => void lines.push(message + JSON.stringify(fields));
  const log: Logger = { debug: note, info: note, warn: note, error: note };
  const module: ChannelModule<unknown> = {
    create: ({ log: given }) => {
      given.warn(`refused ${TOKEN}`, { token: TOKEN });
      return {
        name: 'chat',
        limits: { readsLog: false, textLength: 100, media: false },
        start: async () => {},
        send,
        stop: async () => {},
      };
    },
    prove: async () => Promise.reject(new Error(`no ${TOKEN}`)),
  };
  const guarded = hideSecretsOf(module);
  const given = {
    name: 'chat',
    settings,
    sessions: 'thread',
    progress: 'off',
    commands: [],
    mediaBytes: 1,
  } as const;
  return {
    guarded,
    channel: guarded.create({ ...given, clock: systemClock, log } satisfies ChannelGiven<unknown>),
  };
}

describe('the secrets of a channel', () => {
  it('are taken out of an error that repeats them, which stays what it was', async () => {
    const { channel } = open(async () => {
      throw new SendError('later', `Malformed access token ${TOKEN}`, { afterMs: 7, scope: 'channel' });
    });
    const error = await channel
      .send('p', textOf('x'), contextOf({ sessionId: 's' } as never))
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SendError);
    expect(error).toMatchObject({
      problem: 'later',
      afterMs: 7,
      scope: 'channel',
      message: 'Malformed access token [secret]',
    });
    expect(String(error.stack) + String(error.cause)).not.toContain(TOKEN);
  });

  it('are taken out of log records and of the errors of a proof', async () => {
    const lines: string[] = [];
    const { guarded } = open(async () => ({}), lines);
    expect(lines).toEqual(['refused [secret]{"token":"[secret]"}']);
    await expect(guarded.prove({ settings })).rejects.toThrow('no [secret]');
  });

  it('are hidden also where a text was cut within one', () => {
    const hide = createHide(settings);
    expect(hide(`bad ${TOKEN.slice(0, 12)}`)).toBe('bad [secret]');
    expect(hide(`bad ${TOKEN.slice(0, 12)}…`)).toBe('bad [secret]');
    expect(hide('EAAG is the beginning of a token')).toBe('EAAG is the beginning of a token');
  });
});
