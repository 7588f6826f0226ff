import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attachment } from '@plugboard/host';
import { onTestEnd, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { SendError } from '../../../src/channels/channel.ts';
import { calling, channelFor, openTelegram, refusal } from './telegram-bench.ts';

const GROUP = -1_001_234;

/** Files with these names, each with a few bytes. */
function filesOf(...names: string[]): Attachment[] {
  const directory = temporaryDirectory();
  onTestEnd(() => directory[Symbol.dispose]());
  return names.map((name, index) => {
    const path = join(directory.path, `${index}-${name}`);
    writeFileSync(path, `bytes of ${name}`);
    return { kind: 'file', name, path };
  });
}

function resize([file]: readonly Attachment[], bytes: number): void {
  truncateSync(file?.path ?? '', bytes);
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('a text on Telegram', () => {
  it('has its marks as HTML, and links show no previews', async () => {
    const { platform, send, calls } = await openTelegram();
    const text =
      '# Title\n\n**bold** *it* ~~no~~ `a<b` [x](https://a.example/?a=1&b="2")\n\n> quoted\n\n- one\n- two';
    await send({ text });
    expect(platform.shown()[0]?.text).toBe('Title\n\nbold it no a<b x\n\nquoted\n\n• one\n• two');
    expect(platform.sent()[0]?.entities.map(({ type }) => type)).toEqual([
      ...['bold', 'bold', 'italic', 'strikethrough', 'code', 'text_link', 'blockquote'],
    ]);
    expect(calls('sendMessage')).toMatchObject([
      { parse_mode: 'HTML', link_preview_options: { is_disabled: true } },
    ]);
  });

  it('shows code with its language, and a table in columns', async () => {
    const { platform, send } = await openTelegram();
    await send({ text: '```c++\na < b && c\n```\n\n| a | b |\n|---|---|\n| 1 | long |' });
    const [message] = platform.sent();
    expect(message?.text).toBe('a < b && c\n\na  b\n─  ────\n1  long');
    expect(message?.entities).toMatchObject([
      { type: 'code', language: 'c++' },
      { type: 'pre' },
      { type: 'pre' },
    ]);
  });

  it('goes out without marks at once when Telegram refuses them: two calls, one message', async () => {
    const { platform, send, calls } = await openTelegram();
    platform.server.trouble(
      refusal(400, "Bad Request: can't parse entities: Unsupported start tag"),
      calling('sendMessage'),
    );
    await send({ text: '**bold**' });
    expect(calls('sendMessage').map(({ parse_mode }) => parse_mode)).toEqual(['HTML', undefined]);
    expect(platform.shown().map(({ text }) => text)).toEqual(['**bold**']);
  });

  it('that is longer with its marks than a message goes out without them, by one call', async () => {
    const { platform, send, calls } = await openTelegram();
    // Each row becomes as wide as the first.
    const text = `| ${'a'.repeat(100)} | b |\n|---|---|\n${'| x | y |\n'.repeat(50)}`;
    await send({ text });
    expect(calls('sendMessage')).toHaveLength(1);
    expect(platform.shown()[0]?.text === text.trim()).toBe(true);
  });

  it.each([
    ['emoji pairs', '😀'.repeat(2_048)],
    ['combining marks', 'e\u0301'.repeat(2_048)],
    ['half a pair', `${'x'.repeat(4_095)}\ud83d`],
  ])('of 4,096 units is taken as one message: %s', async (_what, text) => {
    const { platform, send } = await openTelegram();
    await send({ text });
    expect(platform.shown()[0]?.text).toBe(text.toWellFormed());
  });

  it('of 4,097 units is refused for good', async () => {
    const { send } = await openTelegram();
    expect(await errorOf(send({ text: 'x'.repeat(4_097) }))).toMatchObject({ problem: 'never' });
  });

  it('goes to the topic that asked, and to the group when the topic is gone', async () => {
    const { platform, send } = await openTelegram({
      prepare: (fake) => fake.addGroup({ id: GROUP, is_forum: true }),
    });
    await send({ text: 'one' }, `${GROUP}/45`);
    expect(platform.shown(`${GROUP}/45`).map(({ text }) => text)).toEqual(['one']);
    platform.world.closedThreads.set(`${GROUP}/45`, 'message thread not found');
    await send({ text: 'two' }, `${GROUP}/45`);
    await send({ text: 'general' }, String(GROUP));
    expect(platform.shown(String(GROUP)).map(({ text }) => text)).toEqual(['two', 'general']);
    platform.world.closedThreads.set(`${GROUP}/46`, 'TOPIC_CLOSED');
    expect(await errorOf(send({ text: 'three' }, `${GROUP}/46`))).toMatchObject({ problem: 'never' });
  });

  it('to a group that has become a supergroup goes there, and the place moves', async () => {
    const moves: string[][] = [];
    const { platform, send, calls, channel } = await openTelegram({
      prepare: (fake) => fake.addGroup({ id: -55, type: 'group' }),
      ingress: { movePlace: async (...ids) => void moves.push(ids) },
    });
    const { platformId: before = '' } = await send({ text: 'before' }, '-55');
    platform.migrate(-55, GROUP, { silent: true });
    expect(await send({ text: 'one' }, '-55')).toEqual({ platformId: `${GROUP}#1` });
    await send({ text: 'two' }, '-55');
    expect(platform.shown(String(GROUP)).map(({ text }) => text)).toEqual(['one', 'two']);
    expect(calls('sendMessage').map(({ chat_id }) => chat_id)).toEqual([-55, -55, GROUP, GROUP]);
    expect(moves).toEqual([['-55', String(GROUP)]]);
    // The supergroup has another message with the number of the old one.
    for (const place of ['-55', String(GROUP)])
      expect(
        await errorOf(
          channel.edit?.(place, before, { kind: 'message', text: 'x', media: [] }) ?? Promise.resolve(),
        ),
      ).toMatchObject({ problem: 'never' });
  });

  it('has no name when Telegram has only scheduled it', async () => {
    const { platform, send } = await openTelegram();
    const body = { ok: true, result: { message_id: 0, chat: { id: 7_001 } } };
    platform.server.trouble({ status: 200, body }, calling('sendMessage'));
    expect(await send({ text: 'one' })).toEqual({});
  });

  it('of progress makes no sound', async () => {
    const { platform, send } = await openTelegram();
    await send({ kind: 'progress', text: '⏳ working' });
    await send({ text: 'done' });
    expect(platform.sent().map(({ silent }) => silent)).toEqual([true, false]);
  });
});

describe('a question on Telegram', () => {
  it('has its buttons in colour, which an edit without buttons takes away', async () => {
    const { platform, send, channel, calls } = await openTelegram();
    const buttons = [
      { key: 'q:0', label: 'Allow', style: 'allow' as const },
      { key: 'q:1', label: 'Deny', style: 'deny' as const },
    ];
    const { platformId = '' } = await send({ kind: 'question', text: 'May I?', buttons });
    expect(calls('sendMessage')[0]?.reply_markup).toEqual({
      inline_keyboard: [
        [
          { text: 'Allow', callback_data: 'q:0', style: 'success' },
          { text: 'Deny', callback_data: 'q:1', style: 'danger' },
        ],
      ],
    });
    await channel.edit?.(platform.place, platformId, {
      kind: 'question',
      text: 'May I?',
      media: [],
      buttons: [],
    });
    expect(platform.shown()).toMatchObject([{ text: 'May I?', buttons: [] }]);
  });

  it('with long choices has a row for each', async () => {
    const { send, calls } = await openTelegram();
    const buttons = ['Allow once', 'Allow for this session'].map((label, index) => ({
      key: `q:${index}`,
      label,
    }));
    await send({ kind: 'question', text: 'May I?', buttons });
    const rows = [[{ text: 'Allow once' }], [{ text: 'Allow for this session' }]];
    expect(calls('sendMessage')).toMatchObject([{ reply_markup: { inline_keyboard: rows } }]);
  });

  it('for a text opens the field for a reply', async () => {
    const { send, calls } = await openTelegram();
    await send({ kind: 'question', text: 'Which name?', asksText: true });
    expect(calls('sendMessage')[0]?.reply_markup).toMatchObject({ force_reply: true });
  });
});

describe('files on Telegram', () => {
  it('are shown as what their extension says, each with its text', async () => {
    const { platform, send } = await openTelegram();
    for (const file of filesOf('a.PNG', 'b.mov', 'c.gif', 'd.flac', 'e.pdf', 'f'))
      await send({ text: `**${file.name}**`, media: [file] });
    expect(platform.sent().map(({ text, types, files }) => [text, ...types, ...files])).toEqual([
      ['a.PNG', 'photo', 'a.PNG'],
      ['b.mov', 'video', 'b.mov'],
      ['c.gif', 'animation', 'c.gif'],
      ['d.flac', 'audio', 'd.flac'],
      ['e.pdf', 'document', 'e.pdf'],
      ['f', 'document', 'f'],
    ]);
  });

  it.each([1, 2, 10])(
    'that are %i pictures and videos are one album, with the text at the first',
    async (count) => {
      const { platform, send } = await openTelegram();
      const names = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'a.jpg' : 'b.mp4'));
      const { platformId } = await send({ text: 'All.', media: filesOf(...names) });
      const messages = platform.sent();
      expect(messages.map(({ files }) => files[0])).toEqual(names);
      expect(messages.map(({ text }) => text)).toEqual(['All.', ...names.slice(1).map(() => '')]);
      expect(new Set(messages.map(({ album }) => album)).size).toBe(1);
      expect(platformId).toBe(platform.shown()[0]?.platformId);
    },
  );

  it('that are cut off within an album may have been shown', async () => {
    const { platform, send } = await openTelegram();
    platform.failAlbumAt(2);
    expect(await errorOf(send({ media: filesOf('a.jpg', 'b.jpg', 'c.jpg') }))).toMatchObject({
      problem: 'unknown',
    });
    expect(platform.sent()).toHaveLength(1);
  });

  it('that Telegram refuses as pictures are sent as documents', async () => {
    const { platform, send } = await openTelegram();
    const [bad, large, small] = [filesOf('bad.png'), filesOf('large.png'), filesOf('small.png')];
    writeFileSync(bad[0]?.path ?? '', 'not a photo');
    resize(large, 11 * 1_048_576);
    await send({ media: bad });
    await send({ media: large });
    await send({ media: [...large, ...small] });
    expect(platform.sent().map(({ files, types }) => [...files, ...types])).toEqual([
      ['bad.png', 'document'],
      ['large.png', 'document'],
      ['large.png', 'document'],
      ['small.png', 'document'],
    ]);
  });

  it('that are empty, too large or gone are named in the text, and the others are sent', async () => {
    const { platform, send } = await openTelegram();
    const [empty, large, good] = [filesOf('empty.txt'), filesOf('large.bin'), filesOf('good.txt')];
    resize(empty, 0);
    resize(large, 51 * 1_048_576);
    await send({
      text: 'See.',
      media: [...empty, ...large, { kind: 'file', name: 'gone.txt', path: '/nowhere' }],
    });
    await send({ text: 'See.', media: [...good, ...empty] });
    expect(platform.shown().map(({ text, files }) => [text, ...files])).toEqual([
      [
        'See.\n📎 empty.txt could not be sent: it is empty.\n📎 large.bin could not be sent: it has 51 MB, and Telegram takes 50 MB.\n📎 gone.txt could not be sent: it is gone.',
      ],
      ['See.\n📎 empty.txt could not be sent: it is empty.', 'good.txt'],
    ]);
  });

  it('on another server are named in the text by their address, and the others are sent', async () => {
    const { platform, send } = await openTelegram();
    const there: Attachment = { kind: 'image', url: 'https://pictures.example/a.png', name: 'a.png' };
    const [good] = [filesOf('good.txt')];
    await send({ text: 'See.', media: [there] });
    await send({ text: '', media: [there] });
    await send({ text: 'See.', media: [...good, there] });
    expect(platform.shown().map(({ text, files }) => [text, ...files])).toEqual([
      ['See.\n📎 https://pictures.example/a.png'],
      ['📎 https://pictures.example/a.png'],
      ['See.\n📎 https://pictures.example/a.png', 'good.txt'],
    ]);
  });

  it('on another server get a message of their own, which has room for their address', async () => {
    const { channel } = await openTelegram();
    const isAlbumFile = (file: Attachment): boolean | undefined => channel.limits.isAlbumFile?.(file);
    expect(isAlbumFile({ kind: 'image', url: 'https://pictures.example/a.png', name: 'a.png' })).toBe(false);
    expect(isAlbumFile({ kind: 'image', url: '/media/a.png', name: 'a.png' })).toBe(true);
  });

  it('with a name that would end its header keep the rest of the name', async () => {
    const { platform, send } = await openTelegram();
    const [file] = filesOf('a.txt');
    await send({ media: [{ ...file, kind: 'file', name: 'a";x\r\ny: z.txt' }] });
    expect(platform.shown()[0]?.files).toEqual(['a__x__y: z.txt']);
  });

  it('have captions of 1,024 units, and refused marks are left out', async () => {
    const { platform, send, channel } = await openTelegram();
    expect(channel.limits.captionLength).toBe(1_024);
    const text = 'x'.repeat(1_024);
    await send({ text, media: filesOf('a.txt') });
    platform.server.trouble(refusal(400, "Bad Request: can't parse entities"), calling('sendDocument'));
    await send({ text: '**b**', media: filesOf('b.txt') });
    expect(platform.shown().map((shown) => shown.text)).toEqual([text, '**b**']);
  });
});

describe('a call that fails on Telegram', () => {
  it.each([
    ['502 without JSON', { status: 502, body: '<html>Bad Gateway</html>' }, { problem: 'unknown' }],
    ['500', refusal(500, 'Internal Server Error'), { problem: 'unknown' }],
    [
      'a person who has blocked the bot',
      refusal(403, 'Forbidden: bot was blocked by the user'),
      { problem: 'never' },
    ],
    ['no such chat', refusal(400, 'Bad Request: chat not found'), { problem: 'never' }],
    ['too large', refusal(413, 'Request Entity Too Large'), { problem: 'never' }],
    ['a revoked token', refusal(401, 'Unauthorized'), { problem: 'never', stopsChannel: true }],
    ['a malformed token', refusal(404, 'Not Found'), { problem: 'never', stopsChannel: true }],
    [
      'a limit',
      refusal(429, 'Too Many Requests', { retry_after: 200 }),
      { problem: 'later', afterMs: 200_000, scope: 'place' },
    ],
    ['an answer that breaks off', 'cut', { problem: 'unknown' }],
  ] as const)('(%s) is reported as what it is, after one call', async (_what, trouble, problem) => {
    const { platform, send, calls } = await openTelegram();
    platform.server.trouble(trouble, calling('sendMessage'), 9);
    const error = await errorOf(send({ text: 'one' }));
    expect(error).toBeInstanceOf(SendError);
    expect(error).toMatchObject(problem);
    expect(calls('sendMessage')).toHaveLength(1);
  });

  it.each([
    ['a name is not found', 'http://nowhere.invalid'],
    ['the certificate is none', 'https://127.0.0.1:PORT'],
  ])('because %s was certainly not sent', async (_what, api) => {
    const { platform } = await openTelegram();
    const address = api.replace('PORT', String(platform.server.port));
    const channel = channelFor(platform, { settings: { api: address } });
    const context = { id: 'd', sessionId: 's', attempt: 1, signal: new AbortController().signal };
    const sent = channel.send(platform.place, { kind: 'message', text: 'x', media: [] }, context);
    expect(await errorOf(sent)).toMatchObject({ problem: 'later' });
  });

  it('because its delivery has timed out may have been sent, and leaves no connection', async () => {
    const { platform, send } = await openTelegram();
    platform.server.trouble('hang', calling('sendMessage'));
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    await until(() => platform.server.calls.some(calling('getUpdates')), 'the first request for updates');
    const before = sockets();
    const end = new AbortController();
    const sent = errorOf(send({ text: 'one' }, undefined, end.signal));
    await until(() => platform.server.calls.some(calling('sendMessage')), 'the call');
    expect(sockets()).toBeGreaterThan(before);
    end.abort();
    expect(await sent).toMatchObject({ problem: 'unknown' });
    await until(() => sockets() <= before, 'the connection to end');
  });

  it('in two chats by a limit makes the whole channel wait', async () => {
    const { platform, send } = await openTelegram();
    platform.say('hi', { place: '8' });
    platform.server.trouble(refusal(429, 'Too Many Requests', { retry_after: 5 }), calling('sendMessage'), 3);
    const errors = [];
    for (const place of ['7001', '7001', '8']) errors.push(await errorOf(send({ text: 'x' }, place)));
    expect(errors).toMatchObject([
      { scope: 'place' },
      { scope: 'place' },
      { scope: 'channel', afterMs: 5_000 },
    ]);
  });

  it('never tells the token', async () => {
    const { platform, send } = await openTelegram();
    const seen: unknown[] = [];
    platform.server.trouble(refusal(400, `Bad Request: bot${platform.token}`), calling('sendMessage'));
    seen.push(await errorOf(send({ text: 'x' })));
    platform.server.trouble('cut', calling('sendMessage'));
    seen.push(await errorOf(send({ text: 'x' })));
    await platform.server.down();
    seen.push(await errorOf(send({ text: 'x' })));
    for (const error of seen) {
      const chain = [error, (error as Error).cause];
      const told = chain.map(
        (one) => `${String(one)} ${JSON.stringify(one)} ${(one as Error | undefined)?.stack}`,
      );
      expect(told.join()).not.toContain(platform.token.slice(12));
      expect((error as Error).cause).toBeUndefined();
    }
  });
});

describe('an edit on Telegram', () => {
  it.each([
    ['is not modified', 400, 'Bad Request: message is not modified: specified new message content', 'done'],
    ['is gone', 400, 'Bad Request: message to edit not found', 'never'],
    ['cannot be edited', 400, "Bad Request: message can't be edited", 'never'],
    ['is too frequent', 429, 'Too Many Requests: retry after 200', 'later'],
    ['fails', 500, 'Internal Server Error', 'unknown'],
  ])('of a message that %s: %i %s is %s', async (_what, status, description, outcome) => {
    const { platform, send, channel, calls } = await openTelegram();
    const { platformId = '' } = await send({ text: 'one' });
    platform.server.trouble(refusal(status, description), calling('editMessageText'));
    const edited = channel.edit?.(platform.place, platformId, { kind: 'message', text: 'two', media: [] });
    const result = await (edited ?? Promise.reject(new Error('none'))).then(
      () => 'done',
      (error) => error.problem,
    );
    expect(result).toBe(outcome);
    expect(calls('editMessageText')).toHaveLength(1);
  });

  it('may come every 1.1 s in a private chat and every 3.1 s in a group', async () => {
    const { channel } = await openTelegram();
    const { editIntervalIn } = channel.limits;
    expect([editIntervalIn?.('7001'), editIntervalIn?.('7001/3'), editIntervalIn?.(`${GROUP}/45`)]).toEqual([
      1_100, 1_100, 3_100,
    ]);
  });
});
