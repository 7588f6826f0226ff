import type { Event } from '@plugboard/host';
import type { Claim, Delivery } from '@plugboard/store';
import { onTestEnd } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { SendError } from '../../src/channels/channel.ts';
import { sleep } from '../../src/clock.ts';
import { type Body, bodyOf } from '../../src/delivery/body.ts';
import { createPause } from '../../src/delivery/pause.ts';
import { createPlan } from '../../src/delivery/plan.ts';
import { createPreviews } from '../../src/delivery/preview/preview.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createFakeChannel, type FakeOptions, hang } from './fake-channel.ts';

const INTERVAL_MS = 40;
const TYPING_INTERVAL_MS = 20;
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
function runTurn(options: FakeOptions = {}, clock = createFakeClock()) {
  const limits = {
    editIntervalMs: INTERVAL_MS,
    typingIntervalMs: TYPING_INTERVAL_MS,
    ...options.limits,
  };
  const channel = createFakeChannel({ clock, without: ['typing'], ...options, limits });
  const plan = createPlan(new Map([['fake', channel]]));
  const stopped: string[] = [];
  const previews = createPreviews({
    clock,
    channel,
    pause: createPause(clock),
    onStop: (reason) => stopped.push(reason),
  });
  previews.begin(CLAIM);
  onTestEnd(() => previews.stop());
  return {
    clock,
    channel,
    previews,
    stopped,
    /** Lets time pass until the channel shows `text`. */
    shows: (text: string) => clock.passUntil(() => channel.texts().includes(text), `"${text}"`),
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
    const { clock, channel, say, previews, end } = runTurn({ limits: { textLength: 1_000 } });
    const words = Array.from({ length: 40 }, (_, n) => `${n} `);
    for (const word of words) {
      say(delta(word));
      await clock.pass(5);
    }
    const [body] = say(message('all of it'));
    const { platformId } = await previews.giveWay(DELIVERY);
    end();
    expect([platformId, body?.edits]).toEqual(['p1', 'p1']);
    expect(channel.made('send')).toHaveLength(1);
    const edits = channel.made('edit');
    expect(edits.length).toBeGreaterThan(2);
    for (const [index, { at }] of channel.calls.entries())
      expect(at - (channel.calls[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(INTERVAL_MS);
    expect(edits.every(({ text }) => words.join('').startsWith(text))).toBe(true);
    const count = channel.calls.length;
    await clock.pass(2 * INTERVAL_MS);
    expect(channel.calls).toHaveLength(count);
  });

  it('causes few calls, however much is said', async () => {
    const { clock, channel, say, shows } = runTurn();
    const began = clock.now();
    const frames = Array.from({ length: 1_000 }, (_, n) => progress(`step ${n}`));
    for (let n = 0; n < 1_000; n += 1) {
      say(...frames);
      if (n % 100 === 0) await clock.pass(1);
    }
    await shows('step 999');
    expect(channel.calls.length).toBeLessThanOrEqual((clock.now() - began) / INTERVAL_MS + 2);
    expect(channel.shown.size).toBe(1);
  });

  it('stops growing at a clean cut when it is longer than a message', async () => {
    const { clock, channel, say, shows } = runTurn({ limits: { textLength: 30 } });
    say(delta('```js\none()\ntwo()\nthree()\nfour()\n'));
    await shows('```js\none()\ntwo()…\n```');
    for (let n = 0; n < 20; n += 1) {
      say(delta('more() '.repeat(100)));
      await clock.pass(5);
    }
    expect(channel.texts()).toEqual(['```js\none()\ntwo()…\n```']);
    expect(channel.made('edit')).toEqual([]);
  });

  it('grows more slowly in a place where the platform allows fewer edits', async () => {
    const { clock, channel, say } = runTurn({
      limits: { textLength: 1_000, editIntervalIn: (place) => (place === 'hall' ? 500 : 1) },
    });
    for (let n = 0; n < 100; n += 1) {
      say(delta('word '));
      await clock.pass(10);
    }
    expect(channel.calls.map(({ what }) => what)).toEqual(['send', 'edit']);
  });

  it('is not shown where the platform cannot replace it', async () => {
    for (const options of [
      { without: ['edit', 'typing'] as const },
      { limits: { editIntervalMs: undefined } },
    ]) {
      const { clock, channel, say } = runTurn({ without: ['typing'], ...(options as FakeOptions) });
      say(delta('one'));
      await clock.pass(10_000);
      expect(channel.calls).toEqual([]);
    }
  });

  it('is not shown when it is complete at once', async () => {
    const { clock, channel, say, end } = runTurn();
    say(delta('one'));
    const [body] = say(message('one'));
    end();
    await clock.pass(10_000);
    expect(channel.calls).toEqual([]);
    expect(body).toEqual({ kind: 'message', text: 'one', media: [] });
  });

  it('is replaced even when the platform has not yet said what it is called', async () => {
    const clock = createFakeClock();
    const { channel, say, previews } = runTurn({ on: { send: () => sleep(clock, 1_000) } }, clock);
    say(delta('one'));
    await clock.passUntil(() => channel.calls.length === 1, 'it to be sent');
    const [body] = say(message('one two'));
    expect(body?.edits).toBeNull();
    const givenWay = previews.giveWay(DELIVERY);
    await clock.pass(1_000);
    expect(await givenWay).toEqual({ platformId: 'p1', waitMs: 0 });
  });

  it('is followed by the next only when it has been delivered', async () => {
    const { clock, channel, say, previews, shows } = runTurn();
    say(delta('one'));
    await shows('one');
    say(message('one.'));
    say(delta('two'));
    await clock.pass(10_000);
    expect(channel.texts()).toEqual(['one']);
    previews.settled(DELIVERY);
    await shows('two');
    expect(say(message('two.'))).toMatchObject([{ edits: 'p2' }]);
  });

  it('lets files follow by themselves', async () => {
    const { say, shows } = runTurn();
    say(delta('Here'));
    await shows('Here');
    expect(say(message('Here it is.', ['a.txt']))).toMatchObject([
      { text: 'Here it is.', media: [], edits: 'p1' },
      { text: '', media: [{ name: 'a.txt' }] },
    ]);
  });

  it('stays, in full, when the turn fails', async () => {
    const { say, end, shows } = runTurn();
    say(delta('one'));
    await shows('one');
    say(delta(' two'));
    const error = { message: 'It broke.' };
    expect(say({ type: 'end', outcome: 'error', text: '', error })).toEqual([
      { kind: 'error', text: 'It broke.', media: [] },
    ]);
    end();
    await shows('one two');
  });
});

describe('progress', () => {
  it('is shown until something is said, and gives way to it', async () => {
    const { clock, channel, say, end, shows } = runTurn();
    say(progress('looking'));
    await shows('looking');
    say(progress('looking again'));
    await shows('looking again');
    say(delta('I'));
    await shows('I');
    expect(say(message('I see.'))).toMatchObject([{ text: 'I see.', edits: 'p1' }]);
    say(progress('more'));
    end();
    await clock.pass(10_000);
    expect(channel.texts()).toEqual(['I']);
  });

  it('gives way to an error, and to the end when nothing was said', async () => {
    const failing = runTurn();
    failing.say(progress('looking'));
    await failing.shows('looking');
    const error = { message: 'It broke.' };
    expect(failing.say({ type: 'end', outcome: 'error', text: '', error })).toMatchObject([{ edits: 'p1' }]);
    const silent = runTurn();
    silent.say(progress('looking'));
    await silent.shows('looking');
    silent.end();
    await silent.shows('There was no answer.');
  });

  it('is not shown where people do not want it', async () => {
    const { clock, channel, say } = runTurn({ limits: { progress: 'off' } });
    say(progress('looking'));
    await clock.pass(10_000);
    expect(channel.calls).toEqual([]);
  });
});

describe('a preview that fails', () => {
  it('is slower when the platform says so, and makes the answer wait', async () => {
    const edit = (): void => {
      throw new SendError('later', '429', { afterMs: 600 });
    };
    const { clock, channel, say, previews, shows } = runTurn({ on: { edit } });
    say(delta('one'));
    await shows('one');
    for (let n = 0; n < 20; n += 1) {
      say(delta(`${n} `));
      await clock.pass(5);
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
    const { clock, channel, say } = runTurn({ on: { edit } });
    for (let n = 0; n < 40; n += 1) {
      say(delta(`${n} `));
      await clock.pass(8);
    }
    expect(channel.made('send')).toHaveLength(2);
    expect(channel.made('edit')).toHaveLength(2);
  });

  it.each([
    ['refused', () => Promise.reject(new SendError('never', 'blocked'))],
    ['cut off', () => Promise.reject(new Error('reset'))],
    ['not answered', hang],
  ])('(%s) is not tried again, and the answer is sent as if there had been none', async (_what, send) => {
    const { clock, channel, say, previews } = runTurn({ on: { send } });
    for (let n = 0; n < 10; n += 1) {
      say(delta(`${n} `));
      await clock.pass(8);
    }
    say(message('all'));
    const givenWay = previews.giveWay(DELIVERY);
    await clock.pass(10_000);
    expect(await givenWay).toEqual({ platformId: undefined, waitMs: 0 });
    expect(channel.calls).toHaveLength(1);
  });

  it('because the key is refused stops the channel', async () => {
    const send = (): void => {
      throw new SendError('never', 'bad token', { stopsChannel: true });
    };
    const { clock, say, stopped } = runTurn({ on: { send } });
    say(delta('one'));
    await clock.passUntil(() => stopped.length === 1, 'the channel to be stopped');
  });
});

describe('the sign that somebody is at work', () => {
  it('is given again and again, and ends with the turn', async () => {
    const { clock, channel, end } = runTurn({ without: [] });
    await clock.pass(3 * TYPING_INTERVAL_MS);
    expect(channel.made('typing')).toHaveLength(4);
    end();
    await clock.pass(10_000);
    expect(channel.calls).toHaveLength(4);
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
    await failing.clock.pass(2 * TYPING_INTERVAL_MS);
    await slow.clock.pass(10 * TYPING_INTERVAL_MS);
    expect(failing.channel.calls).toHaveLength(3);
    expect(slow.channel.calls).toHaveLength(1);
  });

  it('has gone before the answer comes', async () => {
    const clock = createFakeClock();
    const on = { typing: () => sleep(clock, 60) };
    const { previews, end, channel } = runTurn({ without: [], on }, clock);
    await clock.pass(0);
    expect(channel.calls).toHaveLength(1);
    previews.planned(CLAIM, [{} as never]);
    end();
    let gone = false;
    const givenWay = previews.giveWay(DELIVERY).then(() => {
      gone = true;
    });
    await clock.pass(50);
    expect(gone).toBe(false);
    await clock.pass(10);
    await givenWay;
  });

  it('that hangs delays the answer by a second at most', async () => {
    const { clock, previews, end } = runTurn({ without: [], on: { typing: hang } });
    await clock.pass(0);
    previews.planned(CLAIM, [{} as never]);
    end();
    const givenWay = previews.giveWay(DELIVERY);
    await clock.pass(1_000);
    expect(await givenWay).toEqual({ platformId: undefined, waitMs: 0 });
  });
});
