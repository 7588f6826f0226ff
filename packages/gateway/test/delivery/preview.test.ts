import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@plugboard/host';
import type { Claim, Delivery } from '@plugboard/store';
import { until } from '@plugboard/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SendError } from '../../src/channels/channel.ts';
import { type Body, bodyOf } from '../../src/delivery/body.ts';
import { createPause } from '../../src/delivery/pause.ts';
import { createPlan } from '../../src/delivery/plan.ts';
import { createPreviews } from '../../src/delivery/preview/preview.ts';
import { TIMES } from '../../src/delivery/times.ts';
import { createFakeChannel, type FakeOptions, hang } from './fake-channel.ts';

const INTERVAL_MS = 40;
const CLAIM = {
  session: { id: 's1', channel: 'fake', place: 'hall' },
  turn: { id: 't1', sessionId: 's1' },
} as unknown as Claim;

function delta(text: string): Event {
  return { type: 'delta', kind: 'output', text };
}

function progress(text: string): Event {
  return { type: 'progress', text };
}

function message(text: string, files: readonly string[] = []): Event {
  return { type: 'message', text, media: files.map((name) => ({ kind: 'file', name })) };
}

/** A turn that runs, as its channel sees it. */
function runTurn(options: FakeOptions = {}) {
  const limits = { editIntervalMs: INTERVAL_MS, typingIntervalMs: 20, ...options.limits };
  const channel = createFakeChannel({ without: ['typing'], ...options, limits });
  const plan = createPlan(new Map([['fake', channel]]));
  const stopped: string[] = [];
  const previews = createPreviews({
    channel,
    pause: createPause(),
    times: { ...TIMES, firstMs: 5, previewMs: 200 },
    onStop: (reason) => stopped.push(reason),
  });
  previews.begin(CLAIM);
  onTestFinished(() => previews.stop());
  return {
    channel,
    previews,
    stopped,
    /** As the turn does: what must be delivered is planned, kept, and then seen. */
    say(...events: Event[]): Body[] {
      const planned = previews.planned(CLAIM, plan(CLAIM.session, events));
      previews.saw(CLAIM, events);
      return planned.map(bodyOf);
    },
    end: () => previews.end(CLAIM),
  };
}

const DELIVERY = { turnId: 't1' } as Delivery;

describe('an answer that is being written', () => {
  it('is shown after its first words and grows no faster than the platform allows', async () => {
    const { channel, say, previews, end } = runTurn({ limits: { textLength: 1_000 } });
    const words = Array.from({ length: 40 }, (_, n) => `${n} `);
    for (const word of words) {
      say(delta(word));
      await sleep(5);
    }
    const [body] = say(message('all of it'));
    const { platformId } = await previews.giveWay(DELIVERY);
    end();
    expect([platformId, body?.edits]).toEqual(['p1', 'p1']);
    expect(channel.made('send')).toHaveLength(1);
    const edits = channel.made('edit');
    expect(edits.length).toBeGreaterThan(2);
    for (const [index, { at }] of channel.calls.entries())
      expect(at - (channel.calls[index - 1]?.at ?? 0)).toBeGreaterThan(INTERVAL_MS - 8);
    expect(edits.every(({ text }) => words.join('').startsWith(text))).toBe(true);
    const count = channel.calls.length;
    await sleep(2 * INTERVAL_MS);
    expect(channel.calls).toHaveLength(count);
  });

  it('causes few calls, however much is said', async () => {
    const { channel, say } = runTurn();
    const began = performance.now();
    const frames = Array.from({ length: 1_000 }, (_, n) => progress(`step ${n}`));
    for (let n = 0; n < 1_000; n += 1) {
      say(...frames);
      if (n % 100 === 0) await sleep(1);
    }
    await until(() => channel.texts().includes('step 999'), 'the last of it');
    expect(channel.calls.length).toBeLessThanOrEqual((performance.now() - began) / INTERVAL_MS + 2);
    expect(channel.shown.size).toBe(1);
  });

  it('stops growing at a clean cut when it is longer than a message', async () => {
    const { channel, say } = runTurn({ limits: { textLength: 30 } });
    say(delta('```js\none()\ntwo()\nthree()\nfour()\n'));
    await until(() => channel.shown.size === 1, 'it to be shown');
    for (let n = 0; n < 20; n += 1) {
      say(delta('more() '.repeat(100)));
      await sleep(5);
    }
    expect(channel.texts()).toEqual(['```js\none()\ntwo()…\n```']);
    expect(channel.made('edit')).toEqual([]);
  });

  it('is not shown where the platform cannot replace it', async () => {
    for (const options of [
      { without: ['edit', 'typing'] as const },
      { limits: { editIntervalMs: undefined } },
    ]) {
      const { channel, say } = runTurn({ without: ['typing'], ...(options as FakeOptions) });
      say(delta('one'));
      await sleep(40);
      expect(channel.calls).toEqual([]);
    }
  });

  it('is not shown when it is complete at once', async () => {
    const { channel, say, end } = runTurn();
    say(delta('one'));
    const [body] = say(message('one'));
    end();
    await sleep(30);
    expect(channel.calls).toEqual([]);
    expect(body).toEqual({ kind: 'message', text: 'one', media: [] });
  });

  it('is replaced even when the platform has not yet said what it is called', async () => {
    const { channel, say, previews } = runTurn({ on: { send: () => sleep(40) } });
    say(delta('one'));
    await until(() => channel.calls.length === 1, 'it to be sent');
    const [body] = say(message('one two'));
    expect(body?.edits).toBeNull();
    expect(await previews.giveWay(DELIVERY)).toEqual({ platformId: 'p1', waitMs: 0 });
  });

  it('is followed by the next only when it has been delivered', async () => {
    const { channel, say, previews } = runTurn();
    say(delta('one'));
    await until(() => channel.shown.size === 1, 'it to be shown');
    say(message('one.'));
    say(delta('two'));
    await sleep(60);
    expect(channel.texts()).toEqual(['one']);
    previews.settled(DELIVERY);
    await until(() => channel.texts().includes('two'), 'the next to be shown');
    expect(say(message('two.'))).toMatchObject([{ edits: 'p2' }]);
  });

  it('lets files follow by themselves', async () => {
    const { channel, say } = runTurn();
    say(delta('Here'));
    await until(() => channel.shown.size === 1, 'it to be shown');
    expect(say(message('Here it is.', ['a.txt']))).toMatchObject([
      { text: 'Here it is.', media: [], edits: 'p1' },
      { text: '', media: [{ name: 'a.txt' }] },
    ]);
  });

  it('stays, in full, when the turn fails', async () => {
    const { channel, say, end } = runTurn();
    say(delta('one'));
    await until(() => channel.shown.size === 1, 'it to be shown');
    say(delta(' two'));
    const error = { message: 'It broke.' };
    expect(say({ type: 'end', outcome: 'error', text: '', error })).toEqual([
      { kind: 'error', text: 'It broke.', media: [] },
    ]);
    end();
    await until(() => channel.texts()[0] === 'one two', 'all of it to be shown');
  });
});

describe('progress', () => {
  it('is shown until something is said, and gives way to it', async () => {
    const { channel, say, end } = runTurn();
    say(progress('looking'));
    await until(() => channel.texts()[0] === 'looking', 'it to be shown');
    say(progress('looking again'));
    await until(() => channel.texts()[0] === 'looking again', 'it to change');
    say(delta('I'));
    await until(() => channel.texts()[0] === 'I', 'the answer');
    expect(say(message('I see.'))).toMatchObject([{ text: 'I see.', edits: 'p1' }]);
    say(progress('more'));
    end();
    await sleep(60);
    expect(channel.texts()).toEqual(['I']);
  });

  it('gives way to an error, and to the end when nothing was said', async () => {
    const failing = runTurn();
    failing.say(progress('looking'));
    await until(() => failing.channel.shown.size === 1, 'it to be shown');
    const error = { message: 'It broke.' };
    expect(failing.say({ type: 'end', outcome: 'error', text: '', error })).toMatchObject([{ edits: 'p1' }]);
    const silent = runTurn();
    silent.say(progress('looking'));
    await until(() => silent.channel.shown.size === 1, 'it to be shown');
    silent.end();
    await until(() => silent.channel.texts()[0] === 'There was no answer.', 'the end');
  });

  it('is not shown where people do not want it', async () => {
    const { channel, say } = runTurn({ limits: { showsProgress: false } });
    say(progress('looking'));
    await sleep(60);
    expect(channel.calls).toEqual([]);
  });
});

describe('a preview that fails', () => {
  it('is slower when the platform says so, and makes the answer wait', async () => {
    const edit = (): void => {
      throw new SendError('later', '429', { afterMs: 600 });
    };
    const { channel, say, previews } = runTurn({ on: { edit } });
    say(delta('one'));
    await until(() => channel.shown.size === 1, 'it to be shown');
    for (let n = 0; n < 20; n += 1) {
      say(delta(`${n} `));
      await sleep(5);
    }
    expect(channel.made('edit')).toHaveLength(1);
    say(message('all'));
    const { waitMs } = await previews.giveWay(DELIVERY);
    expect(waitMs).toBeGreaterThan(40);
    expect(waitMs).toBeLessThanOrEqual(660);
  });

  it('because somebody deleted it is sent once more, and then no more', async () => {
    const edit = (): void => {
      throw new SendError('never', 'message to edit not found');
    };
    const { channel, say } = runTurn({ on: { edit } });
    for (let n = 0; n < 40; n += 1) {
      say(delta(`${n} `));
      await sleep(8);
    }
    expect(channel.made('send')).toHaveLength(2);
    expect(channel.made('edit')).toHaveLength(2);
  });

  it.each([
    ['refused', () => Promise.reject(new SendError('never', 'blocked'))],
    ['cut off', () => Promise.reject(new Error('reset'))],
    ['not answered', hang],
  ])('(%s) is not tried again, and the answer is sent as if there had been none', async (_what, send) => {
    const { channel, say, previews } = runTurn({ on: { send } });
    for (let n = 0; n < 10; n += 1) {
      say(delta(`${n} `));
      await sleep(8);
    }
    say(message('all'));
    expect(await previews.giveWay(DELIVERY)).toEqual({ platformId: undefined, waitMs: 0 });
    expect(channel.calls).toHaveLength(1);
  });

  it('because the key is refused stops the channel', async () => {
    const send = (): void => {
      throw new SendError('never', 'bad token', { stopsChannel: true });
    };
    const { say, stopped } = runTurn({ on: { send } });
    say(delta('one'));
    await until(() => stopped.length === 1, 'the channel to be stopped');
  });
});

describe('the sign that somebody is at work', () => {
  it('is given again and again, and ends with the turn', async () => {
    const { channel, end } = runTurn({ without: [] });
    await until(() => channel.made('typing').length >= 4, 'some signs');
    end();
    const count = channel.calls.length;
    await sleep(80);
    expect(channel.calls).toHaveLength(count);
  });

  it('is asked for once at a time, and whatever becomes of it changes nothing', async () => {
    const slow = runTurn({ without: [], on: { typing: hang } });
    const failing = runTurn({
      without: [],
      on: {
        typing: () => {
          throw new Error('no');
        },
      },
    });
    await until(() => failing.channel.calls.length >= 3, 'some signs');
    expect(slow.channel.calls).toHaveLength(1);
  });

  it('has gone before the answer comes', async () => {
    const { previews, end, channel } = runTurn({ without: [], on: { typing: () => sleep(60) } });
    await until(() => channel.calls.length === 1, 'a sign');
    previews.planned(CLAIM, [{} as never]);
    end();
    const began = performance.now();
    await previews.giveWay(DELIVERY);
    expect(performance.now() - began).toBeGreaterThan(20);
  });
});
