import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestEnd, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Outgoing } from '../../../src/channels/channel.ts';
import { renderMarkdown } from '../../../src/channels/markdown/render.ts';
import { whatsappFormat } from '../../../src/channels/whatsapp/format.ts';
import { prove } from '../../../src/channels/whatsapp/whatsapp.ts';
import { contextOf, listen, textOf } from '../suite/bench.ts';
import { createWhatsapp, graphError, openWhatsapp, settingsOf, startWhatsapp } from './bench.ts';

const question = (labels: readonly string[], text = '❓ May it?'): Outgoing => ({
  kind: 'question',
  text,
  media: [],
  buttons: labels.map((label, index) => ({ key: `q:${index}`, label })),
});

async function sendFiles(names: readonly string[], text: string) {
  const bench = await startWhatsapp();
  const directory = temporaryDirectory();
  onTestEnd(() => directory[Symbol.dispose]());
  for (const name of names) {
    const path = join(directory.path, name);
    writeFileSync(path, 'inside');
    const media = [{ kind: 'file', path, name } as const];
    await bench.channel.send(bench.place, { kind: 'message', text, media }, contextOf(bench));
  }
  const posts = bench.platform.server.calls.filter(({ path }) => path.endsWith('/messages'));
  return { ...bench, sent: posts.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>) };
}

describe('a text to WhatsApp', () => {
  it.each([
    ['**bold**, *soft* and ~~gone~~', '*bold*, _soft_ and ~gone~'],
    ['# Head **line**', '*Head line*'],
    [
      'see [the page](https://a.example) and <https://b.example>',
      'see the page (https://a.example) and https://b.example',
    ],
    ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
    ['\\*not bold\\*', '*\u200Bnot bold*'],
    ['```js\nlet a = `b`;\n```', '```\nlet a = `b`;\n```'],
    ['| a | b |\n|---|---|\n| 1 | 22 |', '```\na  b\n─  ──\n1  22\n```'],
    ['> said', '> said'],
  ])('of %j becomes %j', (markdown, text) => {
    expect(renderMarkdown(markdown, whatsappFormat)).toBe(text);
  });

  it('is sent as it is written when the marks make it too long', async () => {
    const bench = await startWhatsapp();
    const text = '*a '.repeat(1_365).trimEnd();
    await bench.channel.send(bench.place, textOf(text), contextOf(bench));
    expect(bench.platform.shown()[0]?.text).toBe(text);
  });
});

describe('a file to WhatsApp', () => {
  it.each([
    ['a.jpg', 'image'],
    ['b.mp4', 'video'],
    ['c.ogg', 'document'],
    ['d.pdf', 'document'],
  ])('%s with a text is one message of the type %s', async (name, type) => {
    const { platform, sent } = await sendFiles([name], 'Look **here**.');
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ type, [type]: { caption: 'Look *here*.' } });
    expect(platform.shown()).toMatchObject([{ text: 'Look *here*.', files: [name] }]);
  });

  it('of sound without a text is played', async () => {
    expect((await sendFiles(['c.ogg'], '')).sent[0]).toMatchObject({ type: 'audio' });
  });

  it('whose upload was cut off is sent later, for nobody has seen it', async () => {
    const bench = await startWhatsapp();
    const directory = temporaryDirectory();
    onTestEnd(() => directory[Symbol.dispose]());
    const path = join(directory.path, 'a.png');
    writeFileSync(path, 'inside');
    bench.platform.server.trouble('cut', (call) => call.path.endsWith('/media'));
    const body = { kind: 'message', text: '', media: [{ kind: 'image', path, name: 'a.png' }] } as const;
    await expect(bench.channel.send(bench.place, body, contextOf(bench))).rejects.toMatchObject({
      problem: 'later',
    });
    expect(bench.platform.shown()).toEqual([]);
  });

  it('that is gone is given up, with its name', async () => {
    const bench = await startWhatsapp();
    const body = {
      kind: 'message',
      text: '',
      media: [{ kind: 'file', path: '/nowhere/a.txt', name: 'a.txt' }],
    } as const;
    await expect(bench.channel.send(bench.place, body, contextOf(bench))).rejects.toMatchObject({
      problem: 'never',
      message: 'The file a.txt cannot be read: ENOENT.',
    });
  });
});

describe('a question on WhatsApp', () => {
  it('has up to three buttons', async () => {
    const bench = await startWhatsapp();
    const { platformId = '' } = await bench.channel.send(
      bench.place,
      question(['Allow', 'Deny']),
      contextOf(bench),
    );
    expect(bench.platform.shown()).toMatchObject([{ text: '❓ May it?', buttons: ['Allow', 'Deny'] }]);
    bench.platform.press(platformId, 'Deny');
    await until(() => bench.ingress.pressed.length === 1, 'the press');
    expect(bench.ingress.pressed[0]).toMatchObject({
      place: bench.place,
      sender: bench.platform.person,
      key: 'q:1',
    });
    expect(bench.platform.shown()).toHaveLength(1);
  });

  it('of four choices is a list, with titles that are cut and differ', async () => {
    const bench = await startWhatsapp();
    const long = 'Allow this command for the whole session';
    await bench.channel.send(
      bench.place,
      question([long, `${long} and more`, 'No', 'Never']),
      contextOf(bench),
    );
    expect(bench.platform.shown()[0]?.buttons).toEqual([
      'Allow this command for…',
      'Allow this command… 2',
      'No',
      'Never',
    ]);
  });

  it('in a group, or too long for buttons, lists numbered choices', async () => {
    const bench = await startWhatsapp();
    await bench.channel.send('group:g1', question(['Allow', 'Deny']), contextOf(bench));
    expect(bench.platform.shown('group:g1')).toMatchObject([
      { text: '❓ May it?\n\n1. Allow\n2. Deny\nAnswer with the number.', buttons: [] },
    ]);
    await bench.channel.send(bench.place, question(['Allow'], 'x'.repeat(1_025)), contextOf(bench));
    expect(bench.platform.shown()[0]).toMatchObject({
      buttons: [],
      text: expect.stringContaining('1. Allow'),
    });
  });

  it('says why a press does nothing, once, though it comes twice', async () => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    const refused = { accepted: false, message: 'This question is gone.' };
    let presses = 0;
    await bench.channel.start({
      ...listen(bench),
      press: async () => {
        presses += 1;
        return refused;
      },
    });
    const interactive = { type: 'button_reply', button_reply: { id: 'q:0', title: 'Allow' } };
    const press = { id: 'wamid.press', from: bench.place, type: 'interactive', interactive };
    const ids = [...bench.platform.batch([press]), ...bench.platform.batch([press])];
    expect(ids).toEqual(['wamid.press', 'wamid.press']);
    const last = bench.platform.batch([{ from: bench.place, type: 'text', text: { body: 'x' } }]);
    await until(() => bench.platform.isAcknowledged(last[0] ?? ''), 'the platform to know');
    expect(presses).toBe(1);
    expect(bench.platform.shown().map(({ text }) => text)).toEqual(['This question is gone.']);
  });
});

describe('what became of a message to WhatsApp', () => {
  const reported = async (statuses: readonly ('sent' | 'delivered' | 'read' | 'failed')[], cut = false) => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    const reports: unknown[] = [];
    bench.platform.statuses = statuses;
    await bench.channel.start({ ...listen(bench), report: async (...one) => void reports.push(one) });
    if (cut) bench.platform.server.trouble('cut', ({ path }) => path.endsWith('/messages'));
    await bench.channel.send(bench.place, textOf('x'), contextOf(bench, 'd7')).catch(() => {});
    await until(() => reports.length === statuses.length, 'the reports');
    return reports;
  };

  it('is reported when it fails after it was accepted', async () => {
    expect(await reported(['sent', 'failed'])).toEqual([
      ['d7', { state: 'sent', platformId: expect.stringMatching(/^wamid/) }],
      ['d7', { state: 'failed', problem: 'WhatsApp did not deliver it (131047): Re-engagement message' }],
    ]);
  });

  it('is reported in the order in which it comes, also read before delivered', async () => {
    const sent = ['d7', { state: 'sent', platformId: expect.stringMatching(/^wamid/) }];
    expect(await reported(['read', 'delivered'])).toEqual([sent, sent]);
  });

  it('is known from its status when the answer was lost', async () => {
    expect(await reported(['delivered'], true)).toEqual([
      ['d7', { state: 'sent', platformId: expect.stringMatching(/^wamid/) }],
    ]);
  });
});

describe('a refusal of WhatsApp', () => {
  it.each([
    [131056, 400, { problem: 'later', afterMs: 6_000, scope: 'place' }],
    [130429, 400, { problem: 'later', scope: 'channel' }],
    [131026, 400, { problem: 'never', stopsChannel: false }],
    [132001, 404, { problem: 'never', stopsChannel: false }],
    [200, 403, { problem: 'never', stopsChannel: true }],
    [131031, 403, { problem: 'never', stopsChannel: true }],
    [131000, 400, { problem: 'unknown' }],
    [131016, 503, { problem: 'unknown' }],
    [424242, 400, { problem: 'never' }],
    [424242, 500, { problem: 'unknown' }],
  ])('with the code %i and status %i is %o', async (code, status, problem) => {
    const bench = await startWhatsapp();
    bench.platform.server.trouble(graphError(code, status), () => true);
    const sent = bench.channel.send(bench.place, textOf('x'), contextOf(bench));
    await expect(sent).rejects.toMatchObject(problem);
  });

  it.each([
    ['a page of a proxy', { status: 200, body: '<html>' }],
    ['an error without a code', { status: 400, body: '<html>' }],
    ['an error in another form', { status: 403, body: { error: 'no' } }],
  ])('that is %s proves nothing', async (_title, reply) => {
    const bench = await startWhatsapp();
    bench.platform.server.trouble(reply, () => true);
    const sent = bench.channel.send(bench.place, textOf('x'), contextOf(bench));
    await expect(sent).rejects.toMatchObject({ problem: 'unknown' });
  });

  it('after 24 hours of silence is final without a template', async () => {
    const bench = await startWhatsapp();
    bench.platform.closeWindow(bench.place);
    const sent = bench.channel.send(bench.place, textOf('x'), contextOf(bench));
    await expect(sent).rejects.toMatchObject({ problem: 'never', stopsChannel: false });
  });

  it('after 24 hours of silence is answered with the template', async () => {
    const bench = await startWhatsapp({}, { template: 'news' });
    bench.platform.closeWindow(bench.place);
    await bench.channel.send(bench.place, textOf('one\n\ntwo    three'), contextOf(bench));
    expect(bench.platform.shown()).toMatchObject([{ text: 'one two three' }]);
  });

  it('while it starts stops the channel', async () => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    bench.platform.server.trouble(graphError(190, 401), () => true);
    await expect(bench.channel.start(listen(bench))).rejects.toMatchObject({
      problem: 'never',
      stopsChannel: true,
    });
  });

  it('names neither the token nor an address, in any error', async () => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    await bench.channel.start(listen(bench));
    for (const trouble of ['lose', 'cut', graphError(190, 401), { status: 502, body: '<html>' }] as const) {
      bench.platform.server.trouble(trouble, () => true);
      const error = await bench.channel
        .send(bench.place, textOf('x'), contextOf(bench))
        .catch((thrown: Error) => thrown);
      const { message, stack, cause } = error as Error;
      const words = JSON.stringify([message, stack, String(cause)]);
      expect(words).not.toContain(String(bench.platform.settings.token));
      expect(words).not.toContain(bench.platform.server.url);
    }
  });
});

describe('the typing sign on WhatsApp', () => {
  it('is shown beside the last message of the person, and not in groups', async () => {
    const bench = await startWhatsapp();
    await bench.channel.typing?.(bench.place);
    expect(bench.platform.typing).toEqual([]);
    const id = bench.platform.say('hello');
    await until(() => bench.platform.isAcknowledged(id), 'the platform to know');
    await bench.channel.typing?.(bench.place);
    expect(bench.platform.typing).toEqual([id]);
  });
});

describe('the proof of a WhatsApp number', () => {
  it('names it, links to it with a code, and says what is missing', async () => {
    const { platform } = await openWhatsapp();
    onTestEnd(() => platform[Symbol.asyncDispose]());
    const proof = await prove({ settings: settingsOf(platform) });
    expect(proof.name).toBe('Fake');
    expect(proof.link?.('K7 Q')).toBe('https://wa.me/15550783881?text=K7%20Q');
    expect(proof.remarks).toEqual([expect.stringContaining('No app gets the webhooks')]);
    const channel = createWhatsapp(platform);
    await channel.start(listen({ sessionId: 's', note: async () => 1 } as never));
    expect(platform.isSubscribed).toBe(true);
    expect((await prove({ settings: settingsOf(platform) })).remarks).toEqual([]);
    await channel.stop();
  });

  it('rejects with a sentence when the token is refused', async () => {
    const { platform } = await openWhatsapp();
    onTestEnd(() => platform[Symbol.asyncDispose]());
    const settings = settingsOf(platform, { token: 'wrong' });
    await expect(prove({ settings })).rejects.toThrow(
      /^WhatsApp answered 401 \(190\): .*Invalid OAuth access token/,
    );
  });
});
