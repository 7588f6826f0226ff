import { describe, expect, it } from 'vitest';
import type { IncomingFile } from '../../../src/channels/channel.ts';
import { isMethod, startSlack } from './slack-bench.ts';

async function readFile({ bytes }: IncomingFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A file that a person gives. */
function file(name: string, more: object = {}) {
  return { name, bytes: Buffer.from('inside'), mimetype: 'text/plain', ...more };
}

describe('a message from Slack', () => {
  it('that mentions the bot comes as two events, and is one message in a thread of its own', async () => {
    const { slack, ingress } = await startSlack();
    const ts = slack.mention('do it');
    await expect.poll(() => slack.envelopes.filter(({ ackedAt }) => ackedAt !== undefined)).toHaveLength(2);
    expect(ingress.heard).toEqual([
      {
        place: `${slack.room}:${ts}`,
        group: { place: slack.room, addressed: true },
        messageId: ts,
        sender: slack.person,
        senderName: `Name of ${slack.person}`,
        text: 'do it',
      },
    ]);
  });

  it('in a thread keeps its place, and is for the bot when it replies to the bot or mentions it', async () => {
    const { slack, ingress, channel } = await startSlack();
    const context = { id: 'd', sessionId: 's', attempt: 1, signal: new AbortController().signal };
    const body = { kind: 'message', text: 'root', media: [] } as const;
    const { platformId: root = '' } = await channel.send(slack.room, body, context);
    const place = `${slack.room}:${root}`;
    slack.say('to you', { place });
    slack.say('to each other', { place: `${slack.room}:1700000000.000100` });
    slack.say(`<@${slack.workspace.botUser}> and you`, { place: `${slack.room}:1700000000.000100` });
    await expect.poll(() => ingress.heard).toHaveLength(3);
    expect(ingress.heard.find(({ text }) => text === 'to you')).toMatchObject({
      place,
      repliesTo: root,
      group: { place: slack.room, addressed: true },
    });
    expect(ingress.heard.find(({ text }) => text === 'to each other')).toMatchObject({
      place: `${slack.room}:1700000000.000100`,
      group: { addressed: false },
    });
    expect(ingress.heard.find(({ text }) => text === 'and you')).toMatchObject({
      group: { addressed: true },
    });
  });

  it('stays in the channel where one session is for the whole group, or where that is set', async () => {
    for (const given of [{ sessions: 'group' as const }, {}]) {
      const settings = given.sessions === undefined ? { reply_in_thread: false } : {};
      const { slack, ingress } = await startSlack({ given, settings });
      slack.mention('hello');
      await expect.poll(() => ingress.heard[0]?.place).toBe(slack.room);
    }
  });

  it('that is the root of a thread is no reply', async () => {
    const { slack, ingress } = await startSlack();
    slack.say('root', { event: { thread_ts: '1.0', ts: '1.0' } });
    await expect.poll(() => ingress.heard).toMatchObject([{ place: slack.place, messageId: '1.0' }]);
    expect(ingress.heard[0]?.repliesTo).toBeUndefined();
  });

  it.each([
    ['a changed message', { subtype: 'message_changed', message: { text: 'x' }, user: undefined }],
    ['a deleted message', { subtype: 'message_deleted', deleted_ts: '1.0' }],
    ['a message of a bot', { bot_id: 'B1' }],
    ['a person who joined', { subtype: 'channel_join' }],
    ['a message of Slackbot', { user: 'USLACKBOT' }],
    ['an event without its fields', { channel: undefined, ts: undefined }],
  ])('is not made of %s', async (_title, event) => {
    const { slack, ingress } = await startSlack();
    slack.say('not for you', { event });
    slack.say('for you');
    await expect.poll(() => ingress.heard.map(({ text }) => text)).toEqual(['for you']);
    await expect.poll(() => slack.envelopes.every(({ ackedAt }) => ackedAt !== undefined)).toBe(true);
  });

  it('is not made of what the bot itself has said', async () => {
    const { slack, ingress } = await startSlack();
    slack.say('mine', { person: slack.workspace.botUser });
    slack.say('yours');
    await expect.poll(() => ingress.heard.map(({ text }) => text)).toEqual(['yours']);
  });

  it('that is a reply shown in the channel as well belongs to its thread', async () => {
    const { slack, ingress } = await startSlack();
    slack.say('both', { place: `${slack.room}:1.000100`, event: { subtype: 'thread_broadcast' } });
    await expect.poll(() => ingress.heard[0]?.place).toBe(`${slack.room}:1.000100`);
  });

  it.each([
    ['stop', '/stop'],
    ['Stop!', '/stop'],
    ['stop it', 'stop it'],
    ['', '/start'],
  ])('that mentions the bot and says %j is heard as %j', async (said, heard) => {
    const { slack, ingress } = await startSlack();
    slack.mention(said);
    await expect.poll(() => ingress.heard[0]?.text).toBe(heard);
  });

  it('that was forwarded is quoted', async () => {
    const { slack, ingress } = await startSlack();
    const shared = { is_share: true, text: 'one\n&lt;two&gt;' };
    slack.say('look', { event: { attachments: [shared, { text: 'a preview' }] } });
    await expect.poll(() => ingress.heard[0]?.text).toBe('look\n\n> one\n> <two>');
  });

  it('comes without a name where the app may not look names up', async () => {
    const { slack, ingress } = await startSlack();
    slack.workspace.scopes.delete('users:read');
    slack.say('one');
    slack.say('two');
    await expect.poll(() => ingress.heard).toHaveLength(2);
    expect(ingress.heard.map(({ senderName }) => senderName)).toEqual([undefined, undefined]);
    expect(slack.server.calls.filter(isMethod('users.info'))).toHaveLength(1);
  });

  it('is not overtaken by a later one of its place when it could not be kept at first', async () => {
    let failures = 2;
    const { slack, ingress } = await startSlack({
      take: async ({ text }) => {
        if (text === 'one' && failures-- > 0) throw new Error('The disk is full.');
      },
    });
    const other = slack.say('elsewhere', { place: 'D0000OTHER' });
    slack.say('one');
    const last = slack.say('two');
    await expect.poll(() => slack.isAcknowledged(last)).toBe(true);
    expect(slack.isAcknowledged(other)).toBe(true);
    const heard = ingress.heard.filter(({ place }) => place === slack.place).map(({ text }) => text);
    expect(heard).toEqual(['one', 'one', 'one', 'two']);
  });

  it('is the stop button of Slack, too', async () => {
    const { slack, ingress } = await startSlack();
    const { room: channel, person: user } = slack;
    void slack.event({ type: 'agent_session_stopped', channel, user, thread_ts: '1.000100' });
    await expect
      .poll(() => ingress.heard)
      .toMatchObject([
        { place: `${channel}:1.000100`, text: '/stop', sender: user, group: { addressed: true } },
      ]);
  });
});

describe('a file from Slack', () => {
  it('is downloaded with the token as it is read', async () => {
    const { slack, ingress } = await startSlack();
    slack.say('here', { files: [file('a.txt'), file('b.txt')] });
    await expect.poll(() => ingress.heard).toHaveLength(1);
    const { files = [] } = ingress.heard[0] ?? {};
    expect(slack.server.calls.some(({ path }) => path.startsWith('/files-pri'))).toBe(false);
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['a.txt', 'text/plain'],
      ['b.txt', 'text/plain'],
    ]);
    for (const one of files) expect(await readFile(one)).toBe('inside');
  });

  it.each([
    ['a page with a login', file('a.txt', { answers: 'login' }), /scope files:read/],
    ['nothing', file('a.txt', { answers: 'gone' }), /404/],
    ['a tombstone', file('a.txt', { event: { mode: 'tombstone' } }), /no longer on Slack/],
    ['a file elsewhere', file('a.txt', { event: { mode: 'external' } }), /not on Slack/],
    ['another host', file('a.txt', { event: { url_private_download: 'https://e.org/a' } }), /no address/],
    ['no address', file('a.txt', { event: { url_private_download: 'x', url_private: 'y' } }), /no address/],
  ])('of which Slack gives %s is left out by name', async (_title, given, reason) => {
    const { slack, ingress } = await startSlack();
    slack.say('', { files: [given] });
    await expect.poll(() => ingress.heard).toHaveLength(1);
    const [one] = ingress.heard[0]?.files ?? [];
    if (one === undefined) throw new Error('There is no file.');
    await expect(readFile(one)).rejects.toMatchObject({
      name: 'FileUnavailableError',
      message: expect.stringMatching(reason),
    });
  });

  it('that is larger than may be is not downloaded', async () => {
    const { slack, ingress } = await startSlack();
    slack.say('', { files: [file('a.txt', { bytes: Buffer.alloc(1_001) })] });
    await expect.poll(() => ingress.heard).toHaveLength(1);
    const [one] = ingress.heard[0]?.files ?? [];
    if (one === undefined) throw new Error('There is no file.');
    await expect(readFile(one)).rejects.toMatchObject({ code: 'too-large' });
    expect(slack.server.calls.some(({ path }) => path.startsWith('/files-pri'))).toBe(false);
  });

  it('of which an event has the id alone is asked for', async () => {
    const { slack, ingress } = await startSlack();
    const hidden = {
      file_access: 'check_file_info',
      url_private_download: undefined,
      url_private: undefined,
    };
    slack.say('', { files: [file('a.txt', { event: hidden })] });
    await expect.poll(() => ingress.heard).toHaveLength(1);
    const [one] = ingress.heard[0]?.files ?? [];
    if (one === undefined) throw new Error('There is no file.');
    expect(await readFile(one)).toBe('inside');
  });

  it('whose download is cut may come later, and names no token', async () => {
    const { slack, ingress } = await startSlack();
    slack.server.trouble('lose', ({ path }) => path.startsWith('/files-pri'));
    slack.say('', { files: [file('a.txt')] });
    await expect.poll(() => ingress.heard).toHaveLength(1);
    const [one] = ingress.heard[0]?.files ?? [];
    if (one === undefined) throw new Error('There is no file.');
    const error = (await readFile(one).catch((thrown: unknown) => thrown)) as Error;
    expect(error.name).toBe('SlackCallError');
    expect(String(error.stack)).not.toContain(slack.workspace.botToken);
  });
});
