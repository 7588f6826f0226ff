import type { Event } from '@plugboard/host';
import type { Session } from '@plugboard/store';
import { describe, expect, it } from 'vitest';
import type { ChannelLimits } from '../../src/channels/channel.ts';
import { bodyOf } from '../../src/delivery/body.ts';
import { createPlan } from '../../src/delivery/plan.ts';
import { createFakeChannel } from './fake-channel.ts';

/** What goes out, in short: the text, and the names of files behind it. */
function planned(event: Event, limits: Partial<ChannelLimits> = {}): string[] {
  const plan = createPlan(new Map([['fake', createFakeChannel({ limits })]]));
  const deliveries = plan({ channel: 'fake', place: 'hall' } as Session, [event]);
  return deliveries.map((delivery) => {
    const { text, media } = bodyOf(delivery);
    return [text, ...media.map(({ name }) => `+${name}`)].join(' ').trim();
  });
}

function message(text: string, ...names: string[]): Event {
  return { type: 'message', text, media: names.map((name) => ({ kind: 'file', name })) };
}

describe('what is delivered', () => {
  it('is what an agent says in messages, cut to what the platform takes', () => {
    expect(planned(message('one two three'), { textLength: 8 })).toEqual(['one two', 'three']);
    expect(planned(message('  '))).toEqual([]);
    expect(planned({ type: 'progress', text: 'hm' })).toEqual([]);
    expect(planned({ type: 'delta', kind: 'output', text: 'hm' })).toEqual([]);
  });

  it('is an error, unless a message has told of it', () => {
    const end = { type: 'end', outcome: 'error', text: '' } as const;
    expect(planned({ ...end, error: { message: 'It broke.' } })).toEqual(['It broke.']);
    expect(planned({ ...end, error: { message: 'It broke.', told: true } })).toEqual([]);
    expect(planned({ type: 'end', outcome: 'success', text: 'hi' })).toEqual([]);
  });

  it('has files with its last part, or behind it where a caption must be short', () => {
    expect(planned(message('one two', 'a', 'b'), { textLength: 4 })).toEqual(['one', 'two +a +b']);
    expect(planned(message('one two', 'a'), { captionLength: 4 })).toEqual(['one two', '+a']);
    expect(planned(message('', 'a'))).toEqual(['+a']);
  });

  it('has so many files in a message as the platform takes: after a failure only the rest is sent', () => {
    expect(planned(message('Three.', 'a', 'b', 'c'), { mediaPerMessage: 1 })).toEqual([
      'Three. +a',
      '+b',
      '+c',
    ]);
  });

  it('names files where there can be none', () => {
    expect(planned(message('Here.', 'a'), { media: false })).toEqual(['Here.\n📎 a']);
  });

  it('is nothing where people read the log', () => {
    expect(planned(message('one'), { readsLog: true })).toEqual([]);
  });
});
