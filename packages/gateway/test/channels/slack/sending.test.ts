import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Outgoing } from '../../../src/channels/channel.ts';
import { contextOf, textOf } from '../suite/bench.ts';
import { isMethod, type SlackBench, startSlack } from './slack-bench.ts';

function post(bench: SlackBench, body: Outgoing | string, place = bench.place) {
  return bench.channel.send(place, typeof body === 'string' ? textOf(body) : body, contextOf(bench));
}

/** The error of a call; fails the test when there is none. */
async function errorOf(work: Promise<unknown>): Promise<unknown> {
  const settled = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(settled).toBeInstanceOf(Error);
  return settled;
}

const posts = ({ slack }: SlackBench) => slack.server.calls.filter(isMethod('chat.postMessage'));

const POST = isMethod('chat.postMessage');
const UPDATE = isMethod('chat.update');

function refusal(error: string, more: object = {}) {
  return { status: 200, body: { ok: false, error, ...more } };
}

function countSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

describe('an answer of Slack to a post', () => {
  it.each([{}, { ok: false }, { ok: false, error: 5 }])(
    '%j leaves it unknown, with a sentence for the operator',
    async (body) => {
      const bench = await startSlack();
      bench.slack.server.trouble({ status: 200, body }, POST);
      expect(await errorOf(post(bench, 'hello'))).toMatchObject({
        problem: 'unknown',
        message: "The answer to chat.postMessage is not one of Slack's.",
      });
    },
  );

  it.each([
    ['ratelimited', { problem: 'later' }],
    ['rate_limited', { problem: 'later' }],
    ['message_limit_exceeded', { problem: 'later' }],
    ['service_unavailable', { problem: 'later' }],
    ['request_timeout', { problem: 'later' }],
    ['channel_not_found', { problem: 'never', stopsChannel: false }],
    ['not_in_channel', { problem: 'never', stopsChannel: false }],
    ['restricted_action_read_only_channel', { problem: 'never', stopsChannel: false }],
    ['messages_tab_disabled', { problem: 'never', stopsChannel: false }],
    ['account_inactive', { problem: 'never', stopsChannel: true }],
    ['token_revoked', { problem: 'never', stopsChannel: true }],
    ['missing_scope', { problem: 'never', stopsChannel: true }],
    ['fatal_error', { problem: 'unknown' }],
    ['internal_error', { problem: 'unknown' }],
    ['some_new_word', { problem: 'unknown' }],
  ])('%s is reported as %o', async (word, problem) => {
    const bench = await startSlack();
    bench.slack.server.trouble(refusal(word), POST);
    expect(await errorOf(post(bench, 'one'))).toMatchObject(problem);
    expect(posts(bench)).toHaveLength(1);
  });

  it('that misses a scope names the scope', async () => {
    const bench = await startSlack();
    bench.slack.workspace.scopes.delete('chat:write');
    expect(await errorOf(post(bench, 'one'))).toMatchObject({
      message: expect.stringContaining('add the scope chat:write'),
    });
  });

  it.each([
    ['500', { status: 500, body: 'oops' }],
    ['a page instead of JSON', { status: 200, body: '<html>Bad Gateway</html>' }],
    ['502 with a page', { status: 502, body: '<html></html>' }],
  ])('%s is reported as unknown after exactly one call', async (_title, reply) => {
    const bench = await startSlack();
    bench.slack.server.trouble({ ...reply, taken: true }, POST);
    expect(await errorOf(post(bench, 'one'))).toMatchObject({
      problem: 'unknown',
      message: expect.not.stringContaining('<'),
    });
    expect(posts(bench)).toHaveLength(1);
    expect(bench.slack.shown()).toHaveLength(1);
  });

  it('429 without Retry-After is reported as later, with a wait', async () => {
    const bench = await startSlack();
    bench.slack.server.trouble({ status: 429, body: 'slow down' }, POST);
    expect(await errorOf(post(bench, 'one'))).toMatchObject({ problem: 'later', afterMs: 5_000 });
    expect(posts(bench)).toHaveLength(1);
  });

  it('that never comes is given up with the signal, and its connection is closed', async () => {
    const bench = await startSlack();
    bench.slack.server.trouble('hang', POST);
    const before = countSockets();
    const control = new AbortController();
    const sent = errorOf(
      bench.channel.send(bench.place, textOf('one'), { ...contextOf(bench), signal: control.signal }),
    );
    await expect.poll(() => posts(bench)).toHaveLength(1);
    control.abort();
    expect(await sent).toMatchObject({ problem: 'unknown' });
    await expect.poll(countSockets).toBeLessThanOrEqual(before);
  });

  it.each(['lose', 'cut', 'hang', { status: 502, body: 'x' }, refusal('invalid_auth')] as const)(
    '(%o) puts no token and no address into the error or its causes',
    async (trouble) => {
      const bench = await startSlack();
      const { workspace, server } = bench.slack;
      server.trouble(trouble, POST);
      const error = (await errorOf(
        bench.channel.send(bench.place, textOf('one'), {
          ...contextOf(bench),
          signal: AbortSignal.timeout(200),
        }),
      )) as Error;
      const said = JSON.stringify([error.message, error.stack, error.cause, Object.entries(error)]);
      for (const secret of [workspace.botToken, workspace.appToken, server.url])
        expect(said).not.toContain(secret);
      expect(error.cause).toBeUndefined();
    },
  );
});

describe('a text for Slack', () => {
  it('is sent as plain text at once when its form is refused, with numbered choices', async () => {
    const bench = await startSlack();
    bench.slack.server.trouble(refusal('invalid_blocks'), POST);
    const buttons = [
      { key: 'q:0', label: 'Allow' },
      { key: 'q:1', label: 'Deny' },
    ];
    await post(bench, { kind: 'question', text: '**May** I?', media: [], buttons });
    expect(posts(bench)).toHaveLength(2);
    expect(bench.slack.shown()).toMatchObject([
      { text: expect.stringContaining('1. Allow\n2. Deny'), buttons: [] },
    ]);
  });

  it('is refused for good when Slack refuses its plain text, too', async () => {
    const bench = await startSlack();
    bench.slack.server.trouble(refusal('msg_too_long'), POST, 2);
    expect(await errorOf(post(bench, 'one'))).toMatchObject({ problem: 'never' });
    expect(posts(bench)).toHaveLength(2);
  });

  it('is sent without metadata when Slack refuses those', async () => {
    const bench = await startSlack();
    bench.slack.server.trouble(refusal('invalid_metadata_format'), POST);
    await post(bench, 'one');
    expect(bench.slack.workspace.messages[0]?.metadata).toBeUndefined();
  });

  it('that is edited never exceeds what chat.update takes, whatever its marks add', async () => {
    const bench = await startSlack();
    const { platformId = '' } = await post(bench, 'first');
    const longest = bench.channel.limits.textLength;
    const table = `| a | b |\n|---|---|\n| ${'x'.repeat(700)} | y |\n| z | ${'w'.repeat(700)} |\n| 1 | 2 |\n| 3 | 4 |`;
    const texts = ['<>&'.repeat(230), '**a** '.repeat(500), table, '[a](https://e.org) '.repeat(150)];
    for (const text of texts) {
      expect(bench.channel.limits.measure?.(text)).toBeLessThanOrEqual(longest);
      await bench.channel.edit?.(bench.place, platformId, textOf(text));
    }
    const updates = bench.slack.server.calls.filter(UPDATE);
    expect(updates).toHaveLength(texts.length);
  });

  it('calls nobody, in words and in code', async () => {
    const bench = await startSlack();
    await post(bench, 'Hello <!channel> and <@U1>\n\n```\n<!here> <@U2>\n```\n\n`<!everyone>`');
    expect(bench.slack.pings()).toEqual([]);
    expect(bench.slack.shown()[0]?.text).toBe('Hello <!channel> and <@U1>\n\n<!here> <@U2>\n\n<!everyone>');
  });

  it('goes to the thread that asked', async () => {
    const bench = await startSlack();
    const root = bench.slack.mention('hello');
    const place = `${bench.slack.room}:${root}`;
    await post(bench, 'in the thread', place);
    expect(bench.slack.shown(place)).toMatchObject([{ text: 'in the thread' }]);
    expect(bench.slack.workspace.messages.at(-1)).toMatchObject({ thread_ts: root });
  });

  it('keeps its ts as it was given, with the zeros at its end', async () => {
    const bench = await startSlack();
    const { platformId } = await post(bench, 'one');
    expect(platformId).toMatch(/\.\d{4}00$/);
    await bench.channel.edit?.(bench.place, platformId ?? '', textOf('two'));
    expect(bench.slack.shown()).toMatchObject([{ platformId, text: 'two' }]);
  });
});

describe('buttons in Slack', () => {
  const question: Outgoing = {
    kind: 'question',
    text: '❓ May **rm** be used?',
    media: [],
    buttons: [
      { key: 'q1:0', label: 'Allow', style: 'allow' },
      { key: 'q1:1', label: 'x'.repeat(100), style: 'deny' },
    ],
  };

  it('stand below their question, are cut to their limit, and go with an edit that has none', async () => {
    const bench = await startSlack();
    const { platformId = '' } = await post(bench, question);
    const [shown] = bench.slack.shown();
    expect(shown).toMatchObject({ text: '❓ May rm be used?', buttons: ['Allow', `${'x'.repeat(74)}…`] });
    await bench.channel.edit?.(bench.place, platformId, { ...question, text: 'over', buttons: [] });
    expect(bench.slack.shown()).toMatchObject([{ text: 'over', buttons: [] }]);
  });

  it('fit below a question as long as a text may be', async () => {
    const bench = await startSlack();
    await post(bench, { ...question, text: `**a** ${'<'.repeat(747)}` });
    expect(bench.slack.shown()[0]?.buttons).toHaveLength(2);
  });
});

describe('the status below a thread', () => {
  it('is shown in threads, and taken away by the edit that follows', async () => {
    const bench = await startSlack();
    const place = `${bench.slack.room}:1.000100`;
    const { platformId = '' } = await post(bench, 'one', place);
    await bench.channel.typing?.(place);
    await bench.channel.edit?.(place, platformId, textOf('two'));
    await bench.channel.edit?.(place, platformId, textOf('three'));
    expect(bench.slack.statuses.map(({ status }) => status)).toEqual(['is working…', '']);
    await bench.channel.typing?.(bench.place);
    expect(bench.slack.statuses).toHaveLength(2);
  });

  it('is left alone in silence once Slack has refused it', async () => {
    const bench = await startSlack();
    const isStatus = isMethod('assistant.threads.setStatus');
    bench.slack.server.trouble(refusal('unknown_method'), isStatus, 9);
    for (const place of ['C1:1.000100', 'C2:1.000200']) await bench.channel.typing?.(place);
    expect(bench.slack.server.calls.filter(isStatus)).toHaveLength(1);
  });
});

describe('files for Slack', () => {
  const files = (directory: string, names: readonly string[], content = 'inside') =>
    names.map((name) => {
      const path = join(directory, name);
      writeFileSync(path, content);
      return { kind: 'file', path, name } as const;
    });

  it('go out as one message with their text, to the thread', async () => {
    const bench = await startSlack();
    using directory = temporaryDirectory();
    const media = files(directory.path, ['a.txt', 'b ä.txt']);
    const place = `${bench.slack.room}:1.000100`;
    await post(bench, { kind: 'message', text: '**Two** files.', media }, place);
    expect(bench.slack.shown(place)).toMatchObject([{ text: 'Two files.', files: ['a.txt', 'b ä.txt'] }]);
    expect([...bench.slack.workspace.files.values()].map(({ bytes }) => String(bytes))).toEqual([
      'inside',
      'inside',
    ]);
  });

  it('on another server are named in the text by their address', async () => {
    const bench = await startSlack();
    const there = { kind: 'image', url: 'https://pictures.example/a.png' } as const;
    await post(bench, { kind: 'message', text: 'See.', media: [there] });
    expect(bench.slack.shown()).toMatchObject([
      { text: expect.stringContaining('📎 https://pictures.example/a.png'), files: [] },
    ]);
  });

  it('that are empty are named in the text, because Slack takes none', async () => {
    const bench = await startSlack();
    using directory = temporaryDirectory();
    const media = files(directory.path, ['empty.txt'], '');
    await post(bench, { kind: 'message', text: 'Here.', media });
    expect(bench.slack.shown()).toMatchObject([{ text: 'Here.\n📎 empty.txt (empty)', files: [] }]);
  });

  it.each([
    ['files.getUploadURLExternal', 'later', 'pending'],
    ['files.completeUploadExternal', 'unknown', { platformId: expect.stringMatching(/^\d+\.\d+$/) }],
  ])('of which the call %s was cut off are %s, and then found to be %s', async (method, problem, found) => {
    const bench = await startSlack();
    using directory = temporaryDirectory();
    const body: Outgoing = { kind: 'message', text: '', media: files(directory.path, ['a.txt']) };
    bench.slack.server.trouble('cut', isMethod(method));
    const context = contextOf(bench);
    expect(await errorOf(bench.channel.send(bench.place, body, context))).toMatchObject({ problem });
    expect(await bench.channel.resolve?.(bench.place, body, context)).toEqual(found);
  });

  it('of a delivery before a restart are not known to be there or not', async () => {
    const bench = await startSlack();
    const body: Outgoing = { kind: 'message', text: '', media: [{ kind: 'file', path: '/x', name: 'x' }] };
    expect(await bench.channel.resolve?.(bench.place, body, contextOf(bench))).toBe('unknown');
  });

  it('for which the app has no scope are refused, and the channel goes on', async () => {
    const bench = await startSlack();
    using directory = temporaryDirectory();
    bench.slack.workspace.scopes.delete('files:write');
    const media = files(directory.path, ['a.txt']);
    expect(await errorOf(post(bench, { kind: 'message', text: '', media }))).toMatchObject({
      problem: 'never',
      stopsChannel: false,
      message: expect.stringContaining('files:write'),
    });
  });
});

describe('a post whose answer was lost', () => {
  it.each([
    ['the root of a channel', undefined],
    ['a thread', '1.000100'],
  ])('is found by its metadata in %s', async (_title, thread) => {
    const bench = await startSlack();
    const place = thread === undefined ? bench.slack.room : `${bench.slack.room}:${thread}`;
    bench.slack.server.trouble('cut', POST);
    const context = { ...contextOf(bench), createdAt: Date.now() };
    await errorOf(bench.channel.send(place, textOf('one'), context));
    expect(await bench.channel.resolve?.(place, textOf('one'), context)).toEqual({
      platformId: bench.slack.shown(place)[0]?.platformId,
    });
  });

  it('is found behind more than one page of later messages', async () => {
    const bench = await startSlack();
    bench.slack.server.trouble('cut', POST);
    const context = { ...contextOf(bench), createdAt: Date.now() };
    await errorOf(bench.channel.send(bench.place, textOf('one'), context));
    for (let n = 0; n < 250; n += 1)
      bench.slack.workspace.messages.push({
        ...{ channel: bench.place, ts: bench.slack.workspace.newTs(), user: 'U1' },
        ...{ text: 'x', blocks: [], files: [] },
      });
    expect(await bench.channel.resolve?.(bench.place, textOf('one'), context)).toEqual({
      platformId: bench.slack.shown()[0]?.platformId,
    });
  });

  it('is not taken for missing before the history has settled', async () => {
    const bench = await startSlack();
    bench.slack.server.trouble('lose', POST);
    const context = contextOf(bench);
    await errorOf(bench.channel.send(bench.place, textOf('one'), context));
    const resolved = bench.channel.resolve?.(bench.place, textOf('one'), context);
    await expect
      .poll(() => bench.slack.server.calls.filter(isMethod('conversations.history')))
      .toHaveLength(1);
    bench.slack.workspace.messages.push({
      ...{ channel: bench.place, ts: bench.slack.workspace.newTs(), text: 'one', blocks: [], files: [] },
      metadata: { event_type: 'plugboard_delivery', event_payload: { id: context.id } },
    });
    expect(await resolved).toEqual({ platformId: bench.slack.workspace.messages.at(-1)?.ts });
  });

  it('is not taken for another one that stands in the history', async () => {
    const bench = await startSlack();
    await post(bench, 'one');
    bench.slack.server.trouble('lose', POST);
    const context = contextOf(bench);
    await errorOf(bench.channel.send(bench.place, textOf('two'), context));
    expect(await bench.channel.resolve?.(bench.place, textOf('two'), context)).toBe('pending');
  });

  it('stays unknown where the app may not read the history', async () => {
    const bench = await startSlack();
    bench.slack.workspace.scopes.delete('im:history');
    bench.slack.server.trouble('lose', POST);
    const context = contextOf(bench);
    await errorOf(bench.channel.send(bench.place, textOf('one'), context));
    expect(await bench.channel.resolve?.(bench.place, textOf('one'), context)).toBe('unknown');
  });
});

describe('an edit in Slack', () => {
  it.each(['message_not_found', 'cant_update_message', 'edit_window_closed', 'is_inactive'])(
    'that is refused with %s says that the message is gone',
    async (word) => {
      const bench = await startSlack();
      bench.slack.server.trouble(refusal(word), UPDATE);
      expect(
        await errorOf(Promise.resolve(bench.channel.edit?.(bench.place, '1.0', textOf('x')))),
      ).toMatchObject({
        problem: 'never',
        stopsChannel: false,
      });
    },
  );
});
