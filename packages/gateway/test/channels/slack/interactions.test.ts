import { describe, expect, it } from 'vitest';
import { type Outgoing, type Press, type Pressed, SendError } from '../../../src/channels/channel.ts';
import { contextOf } from '../suite/bench.ts';
import { isMethod, startSlack } from './slack-bench.ts';

const QUESTION: Outgoing = {
  kind: 'question',
  text: '❓ May rm be used?',
  media: [],
  buttons: [
    { key: 'q1:0', label: 'Allow', style: 'allow' },
    { key: 'q1:1', label: 'Deny', style: 'deny' },
  ],
};

const TEXT_QUESTION: Outgoing = {
  ...{ kind: 'question', text: '❓ What is it called?\n\nAnswer with a message.', media: [], buttons: [] },
  ...{ asksText: true, textKey: 'q2:0' },
};

const REFUSED: Pressed = { accepted: false, message: 'Only an owner of this channel may answer.' };

/** A channel with a question; `answer` decides about presses. */
async function startAsking(
  question: Outgoing,
  {
    http,
    thread,
    answer,
  }: { http?: true; thread?: string; answer?: (press: Press) => Promise<Pressed> } = {},
) {
  const bench = await startSlack(http === undefined ? {} : { http });
  const { slack, ingress, channel } = bench;
  const place = thread === undefined ? slack.place : `${slack.room}:${thread}`;
  if (answer !== undefined)
    ingress.press = (press) => {
      ingress.pressed.push(press);
      return answer(press);
    };
  const { platformId = '' } = await channel.send(place, question, contextOf(bench));
  return { ...bench, place, platformId };
}

describe('a press of a button in Slack', () => {
  it.each([
    ['over the socket, in a direct message', {}],
    ['over HTTP, in a thread', { http: true, thread: '1.000100' }],
  ] as const)('comes in %s', async (_title, way) => {
    const { slack, ingress, place, platformId } = await startAsking(QUESTION, way);
    const { ackedAt, answer } = await slack.pressNow(platformId, 'Allow', { person: 'U7' });
    expect(ackedAt).toBeDefined();
    expect(answer ?? {}).toEqual({});
    await expect
      .poll(() => ingress.pressed)
      .toEqual([{ place, key: 'q1:0', sender: 'U7', senderName: 'U7' }]);
    expect(slack.ephemerals).toEqual([]);
  });

  it('is acknowledged in time while the gateway is slow, and answered then', async () => {
    const slow = Promise.withResolvers<Pressed>();
    const { slack, ingress, platformId } = await startAsking(QUESTION, { answer: () => slow.promise });
    const { at, ackedAt = Number.NaN } = await slack.pressNow(platformId, 'Deny');
    expect(ackedAt - at).toBeLessThan(3_000);
    expect(ingress.pressed).toHaveLength(1);
    slow.resolve(REFUSED);
    await expect.poll(() => slack.ephemerals).toHaveLength(1);
  });

  it('of a stranger is answered to that person alone, in the thread', async () => {
    const { slack, platformId } = await startAsking(QUESTION, {
      thread: '1.000100',
      answer: async () => REFUSED,
    });
    await slack.pressNow(platformId, 'Allow', { person: 'U9' });
    await expect
      .poll(() => slack.ephemerals)
      .toMatchObject([{ channel: slack.room, user: 'U9', thread_ts: '1.000100', text: REFUSED.message }]);
  });

  it('that the gateway could not keep is told to the person', async () => {
    const { slack, platformId } = await startAsking(QUESTION, {
      answer: async () => {
        throw new Error('The disk is full.');
      },
    });
    slack.press(platformId, 'Allow');
    await expect.poll(() => slack.ephemerals[0]?.text).toMatch(/Try again/);
  });

  it('by two people at once reaches the gateway twice, and the loser is told', async () => {
    let first = true;
    const { slack, ingress, platformId } = await startAsking(QUESTION, {
      answer: async () => {
        const accepted = first;
        first = false;
        return { accepted, message: accepted ? 'Allow' : 'It was answered already.' };
      },
    });
    const presses = ['U1', 'U2'].map((person) => slack.pressNow(platformId, 'Allow', { person }));
    for (const { ackedAt } of await Promise.all(presses)) expect(ackedAt).toBeDefined();
    expect(ingress.pressed).toHaveLength(2);
    await expect.poll(() => slack.ephemerals.map(({ text }) => text)).toEqual(['It was answered already.']);
  });
});

describe('a question for a text in Slack', () => {
  it.each([{}, { http: true }, { thread: '1.000100' }] as const)(
    'is answered in a form (%o)',
    async (way) => {
      const { slack, ingress, place, platformId } = await startAsking(TEXT_QUESTION, way);
      await slack.pressNow(platformId, 'Answer', { person: 'U7' });
      await expect.poll(() => slack.views).toHaveLength(1);
      const [view] = slack.views;
      if (view === undefined) throw new Error('There is no form.');
      const { answer } = await slack.submit(view, 'Emma\nand Fritz', { person: 'U7' });
      expect(answer ?? {}).toEqual({});
      expect(ingress.pressed).toEqual([
        { place, key: 'q2:0', sender: 'U7', senderName: 'U7', text: 'Emma\nand Fritz' },
      ]);
    },
  );

  it.each([{}, { http: true }] as const)(
    'keeps a refused answer in its form, with the reason (%o)',
    async (way) => {
      const { slack, platformId } = await startAsking(TEXT_QUESTION, { ...way, answer: async () => REFUSED });
      await slack.pressNow(platformId, 'Answer');
      await expect.poll(() => slack.views).toHaveLength(1);
      const [view] = slack.views;
      if (view === undefined) throw new Error('There is no form.');
      const { answer } = await slack.submit(view, 'x');
      expect(answer).toEqual({ response_action: 'errors', errors: { answer: REFUSED.message } });
    },
  );

  it('closes its form in time while the gateway is slow, and tells the person of a refusal later', async () => {
    const slow = Promise.withResolvers<Pressed>();
    const { slack, platformId } = await startAsking(TEXT_QUESTION, { answer: () => slow.promise });
    await slack.pressNow(platformId, 'Answer');
    await expect.poll(() => slack.views).toHaveLength(1);
    const [view] = slack.views;
    if (view === undefined) throw new Error('There is no form.');
    expect((await slack.submit(view, 'x')).answer ?? {}).toEqual({});
    slow.resolve(REFUSED);
    await expect.poll(() => slack.ephemerals.map(({ text }) => text)).toEqual([REFUSED.message]);
  });

  it('says so when its form comes too late', async () => {
    const { slack, platformId } = await startAsking(TEXT_QUESTION);
    slack.server.trouble(
      { status: 200, body: { ok: false, error: 'expired_trigger_id' } },
      isMethod('views.open'),
    );
    slack.press(platformId, 'Answer');
    await expect.poll(() => slack.ephemerals[0]?.text).toMatch(/Answer with a message instead/);
  });

  it('is answered in the thread below it, until it is over', async () => {
    const bench = await startAsking(TEXT_QUESTION);
    const { slack, ingress, channel, place, platformId } = bench;
    slack.say('Emma', { place: `${place}:${platformId}` });
    await expect.poll(() => ingress.heard[0]).toMatchObject({ place, repliesTo: platformId, text: 'Emma' });
    await channel.edit?.(place, platformId, { kind: 'question', text: 'over', media: [], buttons: [] });
    slack.say('more', { place: `${place}:${platformId}` });
    await expect.poll(() => ingress.heard[1]?.place).toBe(`${place}:${platformId}`);
  });
});

describe('the command /plugboard', () => {
  it.each([
    ['stop', '/stop', {}],
    ['/new', '/new', { http: true }],
    ['', '/help', {}],
    ['PAIR ab-cd', '/pair ab-cd', {}],
  ] as const)('with %j is heard as %j in a direct message', async (typed, text, way) => {
    const { slack, ingress } = await startSlack(way);
    const { ackedAt } = await slack.type(typed);
    expect(ackedAt).toBeDefined();
    expect(ingress.heard).toMatchObject([{ place: slack.place, sender: slack.person, text }]);
    expect(ingress.heard[0]?.group).toBeUndefined();
  });

  it.each([{}, { http: true }] as const)('with an unknown word lists the commands (%o)', async (way) => {
    const { slack, ingress } = await startSlack(way);
    const { answer } = await slack.type('dance now');
    expect(answer).toMatchObject({
      response_type: 'ephemeral',
      text: 'There is no command "dance". There are: start, stop, new, help, pair.',
    });
    expect(ingress.heard).toEqual([]);
  });

  it('in a channel says that it belongs into the thread', async () => {
    const { slack, ingress } = await startSlack();
    const { answer } = await slack.type('stop', { place: slack.room });
    expect(answer).toMatchObject({ text: expect.stringContaining('Mention me in the thread, with /stop') });
    expect(ingress.heard).toEqual([]);
  });

  it('works in a channel that is one conversation', async () => {
    const { slack, ingress } = await startSlack({ given: { sessions: 'group' } });
    await slack.type('stop', { place: slack.room });
    const group = { place: slack.room, addressed: true };
    expect(ingress.heard).toMatchObject([{ place: slack.room, group, text: '/stop' }]);
  });

  it('is acknowledged in time, and obeyed once, while the disk is slow', async () => {
    const kept = Promise.withResolvers<void>();
    const { slack, ingress } = await startSlack({ take: () => kept.promise });
    const { at, ackedAt = Number.NaN } = await slack.type('stop');
    expect(ackedAt - at).toBeLessThan(3_000);
    kept.resolve();
    expect(ingress.heard).toHaveLength(1);
  });
});

it('a stopped Slack channel sends nothing, and says that it may be sent later', async () => {
  const bench = await startSlack();
  await bench.channel.stop();
  const error = await bench.channel
    .send(bench.place, QUESTION, contextOf(bench))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SendError);
  expect(error).toMatchObject({ problem: 'later' });
});
