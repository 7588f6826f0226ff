import { describe, expect, it } from 'vitest';
import { convertNanobot } from '../../src/nanobot/convert.ts';

const KINDS = new Set(['telegram', 'discord', 'slack', 'whatsapp', 'webhook']);
const convert = (channels: object) => convertNanobot({ terminal: {}, channels }, KINDS);

describe('the channels of a nanobot configuration', () => {
  it('take over keys, people and groups, in camelCase or snake_case', () => {
    const { channels } = convert({
      telegram: { enabled: true, token: '1:a', allowFrom: ['7|ada', 8], groupPolicy: 'open' },
      slack: {
        enabled: true,
        bot_token: 'xoxb',
        app_token: 'xapp',
        allow_from: ['U1'],
        dm: { allow_from: ['U2'] },
      },
    });
    expect(channels).toEqual([
      { name: 'telegram', fields: { allow: ['7', '8'], groups: 'all' }, secrets: { token: '1:a' } },
      { name: 'slack', fields: { allow: ['U1', 'U2'] }, secrets: { bot_token: 'xoxb', app_token: 'xapp' } },
    ]);
  });

  it('leave out those that are not enabled', () => {
    expect(convert({ telegram: { enabled: false, token: '1:a' }, discord: { token: 'b' } }).channels).toEqual(
      [],
    );
  });

  it('tell that an empty list means nobody, and everybody where it says so', () => {
    const { notes } = convert({
      telegram: { enabled: true, token: '1:a', allowFrom: [] },
      discord: { enabled: true, token: 'b', allowFrom: ['*', '@ada'] },
    });
    expect(notes).toEqual([
      'telegram: allowFrom is empty. Nobody may talk until you let people in: plugboard channel invite telegram',
      'discord: @ada is a name, and not an id: that person may talk after plugboard pair.',
      'discord: everybody may talk, as allowFrom says.',
    ]);
  });

  it('name what has no counterpart: platforms, fields and a linked phone', () => {
    const { channels, notes } = convert({
      sendProgress: false,
      feishu: { enabled: true },
      whatsapp: { enabled: true, bridgeUrl: 'ws://x' },
      telegram: { enabled: true, token: '1:a', allowFrom: ['7'], proxy: 'http://p', mode: 'webhook' },
    });
    expect(channels).toMatchObject([{ name: 'telegram', fields: { progress: 'off' } }]);
    expect(notes.map((note) => note.slice(0, 40))).toEqual([
      'feishu: Plugboard has no such channel. A',
      'whatsapp: nanobot uses the protocol of a',
      'telegram: proxy has no counterpart and i',
      'telegram: it uses a connection of its ow',
    ]);
  });

  it('tell which key is missing', () => {
    expect(convert({ slack: { enabled: true, botToken: 'x', allowFrom: ['U1'] } }).notes).toEqual([
      'slack: app_token is not set, so that the channel cannot start.',
    ]);
  });
});
