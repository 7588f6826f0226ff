import { join } from 'node:path';
import type { DialectName } from '@plugboard/host';
import {
  type FakeSlack,
  type FakeSlackOptions,
  hookAt,
  onTestEnd,
  profileFor,
  startedAs,
  startFakeSlack,
  temporaryDirectory,
  until,
} from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/channels/channel.ts';
import { create } from '../../../src/channels/slack/slack.ts';
import { systemClock } from '../../../src/clock.ts';
import type { AgentConfig, PlatformConfig } from '../../../src/config/config.ts';
import { type Bench, startBench, type WhenDone } from '../../harness.ts';
import { startDoor } from '../../http/door.ts';
import { givenFor, isMethod } from './slack-bench.ts';

const AGENT = join(import.meta.dirname, 'slack-agent.ts');

function agentAt(workspace: string, dialect: DialectName): AgentConfig {
  const profile = profileFor(dialect, startedAs(dialect, [process.execPath, AGENT]), workspace);
  const approvals = { default: 'ask', rules: [], timeoutSecs: 60 } as const;
  return {
    name: 'one',
    profile: { ...profile, name: 'one', approvals },
    share: false,
    parkAfterMs: 0,
    onCrash: 'fail',
  };
}

const PLATFORM: PlatformConfig = {
  ...{ name: 'slack', kind: 'slack', settings: {}, sessions: 'thread', progress: 'edit' },
  access: { allow: ['*'], owners: [], groups: 'mention', pairing: true },
};

interface Setting {
  readonly directory?: string;
  readonly dialect?: DialectName;
  readonly access?: Partial<PlatformConfig['access']>;
  readonly whenDone?: WhenDone;
}

/** A gateway with the Slack channel and an agent behind it. */
function startGateway(
  slack: FakeSlack,
  { directory, dialect = 'agentproc/v4', access = {}, whenDone }: Setting = {},
): Promise<Bench> {
  const channel: Channel = create(givenFor(slack, { mediaBytes: 1_000_000 }));
  return startBench(
    {
      agents: (at) => [agentAt(at, dialect)],
      channels: [channel],
      platforms: [{ ...PLATFORM, access: { ...PLATFORM.access, ...access } }],
      ...(directory === undefined ? {} : { directory }),
    },
    whenDone,
  );
}

async function startSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const slack = await startFakeSlack(options);
  onTestEnd(() => slack[Symbol.asyncDispose]());
  return slack;
}

async function shown(slack: FakeSlack, test: (text: string) => boolean, place?: string) {
  await until(() => slack.shown(place).some(({ text }) => test(text)), 'a message');
  const found = slack.shown(place).find(({ text }) => test(text));
  if (found === undefined) throw new Error('It is gone.');
  return found;
}

describe.concurrent('a gateway on Slack', () => {
  it('shows an answer as it grows beyond what one message holds, and sends all of it', async () => {
    const slack = await startSlack();
    await startGateway(slack);
    slack.say('grow');
    await until(
      () => slack.shown().length >= 2 && (slack.shown().at(-1)?.text ?? '').includes('line 119'),
      'it all',
    );
    const updates = slack.server.calls.filter(isMethod('chat.update'));
    expect(updates.length).toBeGreaterThanOrEqual(2);
    const text = slack
      .shown()
      .map((one) => one.text)
      .join('\n');
    const lines = [...text.matchAll(/line (\d+) <of> the answer & more/g)].map(([, n]) => Number(n));
    expect(lines).toEqual(Array.from({ length: 120 }, (_, n) => n));
    // Each part was taken with its marks at once.
    const posts = slack.server.calls.filter(isMethod('chat.postMessage'));
    expect(posts).toHaveLength(slack.shown().length);
  });

  it('answers a mention once, in the thread of the mention', async () => {
    const slack = await startSlack();
    const bench = await startGateway(slack);
    const ts = slack.mention('hello');
    const place = `${slack.room}:${ts}`;
    await shown(slack, (text) => text === 'heard hello', place);
    slack.say('not for you', { place });
    slack.mention('again', { place });
    await shown(slack, (text) => text === 'heard again', place);
    expect(slack.shown(place)).toHaveLength(2);
    expect((await bench.store.sessions.list({ limit: 9 })).map((one) => one.place)).toEqual([place]);
  });

  it('takes a picture in and gives one back', async () => {
    const slack = await startSlack();
    await startGateway(slack, { dialect: 'terminal' });
    const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    slack.say('picture', { files: [{ name: 'cat.png', bytes, mimetype: 'image/png' }] });
    const answer = await shown(slack, (text) => text.startsWith('You gave'));
    expect(answer.text).toMatch(/^You gave image \S+\.png\.$/);
    await until(() => slack.shown().some(({ files }) => files.length > 0), 'the picture');
    const [file] = [...slack.workspace.files.values()].filter(({ name }) => name.startsWith('out'));
    expect(file?.bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  it('names a file in the text that Slack does not give', async () => {
    const slack = await startSlack();
    await startGateway(slack);
    const file = { bytes: Buffer.from('x'), mimetype: 'text/plain', answers: 'login' } as const;
    slack.say('look', { files: [{ ...file, name: 'secret.txt' }] });
    const { text } = await shown(slack, (one) => one.startsWith('heard look'));
    expect(text).toMatch(/\[secret\.txt was left out: .*files:read/);
  });

  it('asks for a permission with buttons, refuses those who may not answer, and shows who did', async () => {
    const slack = await startSlack();
    await startGateway(slack, { access: { owners: ['U1'] } });
    slack.say('ask rm', { person: 'U2' });
    const asked = await shown(slack, (text) => text.startsWith('❓'));
    expect(asked.buttons).toEqual(['Allow', 'Deny']);
    await slack.pressNow(asked.platformId, 'Allow', { person: 'U2' });
    await until(() => slack.ephemerals.length === 1, 'the refusal');
    expect(slack.ephemerals[0]).toMatchObject({
      user: 'U2',
      text: 'Only an owner of this channel may answer.',
    });
    await slack.pressNow(asked.platformId, 'Deny', { person: 'U1' });
    await shown(slack, (text) => text === 'It was denied.');
    const { text, buttons } = await shown(slack, (one) => one.includes('🚫'));
    expect([text, buttons]).toEqual([expect.stringMatching(/🚫 Deny — U1 \(slack:U1\)$/), []]);
  });

  it('takes the buttons of a question away whose post was cut off', async () => {
    const slack = await startSlack();
    await startGateway(slack);
    slack.server.trouble('cut', isMethod('chat.postMessage'));
    slack.say('ask rm');
    const { platformId } = await shown(slack, (text) => text.startsWith('❓'));
    slack.press(platformId, 'Allow');
    await shown(slack, (text) => text === 'It was allowed.');
    await until(() => slack.shown()[0]?.buttons.length === 0, 'the buttons to go');
    expect(slack.shown()[0]).toMatchObject({ platformId, text: expect.stringContaining('✅ Allow') });
  });

  it('asks for a text in a form', async () => {
    const slack = await startSlack();
    await startGateway(slack, { dialect: 'nuum' });
    slack.say('name');
    const asked = await shown(slack, (text) => text.startsWith('❓'));
    expect(asked.buttons).toEqual(['Answer']);
    slack.press(asked.platformId, 'Answer');
    await until(() => slack.views.length === 1, 'the form');
    const [view] = slack.views;
    if (view === undefined) throw new Error('There is no form.');
    await slack.submit(view, 'Emma');
    await shown(slack, (text) => text === 'It is called Emma.');
    expect((await slack.submit(view, 'Fritz')).answer).toMatchObject({
      errors: { answer: expect.stringMatching(/answered already/) },
    });
  });

  it('says nothing twice whose answer was lost, and repeats what did not arrive', async () => {
    const slack = await startSlack();
    await startGateway(slack);
    slack.server.trouble('cut', isMethod('chat.postMessage'));
    slack.say('one');
    await shown(slack, (text) => text === 'heard one');
    slack.say('two');
    await shown(slack, (text) => text === 'heard two');
    slack.server.trouble('lose', isMethod('chat.postMessage'));
    slack.say('three');
    await shown(slack, (text) => text === 'heard three');
    expect(slack.shown().map(({ text }) => text)).toEqual(['heard one', 'heard two', 'heard three']);
  });

  it('takes a message in once that Slack gives again after a restart', async () => {
    const slack = await startSlack();
    using directory = temporaryDirectory();
    const ends: (() => void | Promise<void>)[] = [];
    await startGateway(slack, { directory: directory.path, whenDone: (end) => void ends.push(end) });
    const ts = slack.say('one');
    await shown(slack, (text) => text === 'heard one');
    for (const end of ends) await end();
    const bench = await startGateway(slack, { directory: directory.path });
    slack.say('one', { event: { ts } });
    slack.say('two');
    await shown(slack, (text) => text === 'heard two');
    expect(slack.shown().map(({ text }) => text)).toEqual(['heard one', 'heard two']);
    await bench.gateway.stop();
  });

  it('sends an answer as a new message when somebody has deleted the growing one', async () => {
    const slack = await startSlack();
    await startGateway(slack);
    slack.say('grow');
    await until(() => slack.shown().length === 1, 'the first words');
    const first = slack.shown()[0]?.platformId ?? '';
    slack.remove(first);
    await until(() => (slack.shown().at(-1)?.text ?? '').includes('line 119'), 'it all');
    expect(slack.shown().some(({ text }) => text.includes('line 0 '))).toBe(true);
  });

  it('gives a stranger a code in a direct message, and takes the invitation of /plugboard start', async () => {
    const slack = await startSlack();
    const bench = await startGateway(slack, { access: { allow: [] } });
    slack.say('hello', { person: 'U7' });
    const { text } = await shown(slack, (one) => /[A-Z2-9]{4}-[A-Z2-9]{4}/.test(one));
    expect(text).toMatch(/I do not know you yet/);
    const code = await bench.gateway.access.invite('slack', 'operator');
    await slack.type(`start ${code}`, { person: 'U7' });
    await shown(slack, (one) => one.startsWith('You may talk to me now'));
    slack.say('now', { person: 'U7' });
    await shown(slack, (one) => one === 'heard now');
    expect(await bench.store.people.get('slack', 'U7')).toMatchObject({
      state: 'paired',
      name: 'Name of U7',
    });
  });

  it('goes on when its question was deleted, and answered in words', async () => {
    const slack = await startSlack();
    await startGateway(slack);
    slack.say('ask rm');
    const asked = await shown(slack, (text) => text.startsWith('❓'));
    slack.remove(asked.platformId);
    slack.say('allow');
    await shown(slack, (text) => text === 'It was allowed.');
    expect(slack.shown()).toHaveLength(1);
  });

  it('stops a turn by the word stop', async () => {
    const slack = await startSlack();
    await startGateway(slack);
    slack.say('ask rm');
    await shown(slack, (text) => text.startsWith('❓'));
    slack.say('stop');
    await shown(slack, (text) => text.includes('⌛'));
  });

  it('is reached by signed requests, with buttons and commands', async () => {
    let url = '';
    const slack = await startSlack({
      hook: (request) => hookAt(url)(request),
      // A gateway that has not kept a message in time answers 503, and Slack asks again.
      retryMs: Array.from({ length: 99 }, () => 20),
    });
    // On `hastyClock` the gateway would have 125 ms to keep a message.
    const channel = create(givenFor(slack, { clock: systemClock }));
    const platforms = [PLATFORM];
    const door = await startDoor({
      ...{ agents: (at: string) => [agentAt(at, 'agentproc/v4')], channels: [channel], platforms },
    });
    url = `${door.door.url}/hooks/slack`;
    slack.say('ask <rm> & more');
    const asked = await shown(slack, (text) => text.startsWith('❓'));
    expect(asked.text).toContain('<rm> & more');
    await slack.pressNow(asked.platformId, 'Allow');
    await shown(slack, (text) => text === 'It was allowed.');
    const { answer } = await slack.type('dance');
    expect(answer).toMatchObject({ response_type: 'ephemeral' });
    await slack.type('new');
    await until(() => slack.shown().length === 3, 'the answer to the command');
  });

  it('obeys 429 of Slack, and sends the answer once', async () => {
    const slack = await startSlack({ postsPerSecond: 1 });
    await startGateway(slack);
    for (const text of ['one', 'two', 'three']) slack.say(text);
    await shown(slack, (text) => text === 'heard three' || text.includes('three'));
    const texts = slack.shown().map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
