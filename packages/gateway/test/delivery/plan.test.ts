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
    const { text, media, textFile } = bodyOf(delivery);
    const file = textFile === undefined ? [] : [`+file of ${textFile.length}`];
    return [text, ...file, ...media.map(({ name }) => `+${name}`)].join(' ').trim();
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

  it('is the beginning and a file of a text that needs more messages than longestAnswer', () => {
    const note = '\n\n📄 The whole text is in the file.';
    const limits = { textLength: 50, longestAnswer: 2 };
    const words = 'word '.repeat(30).trim();
    expect(planned(message(words.slice(0, 99)), limits)).toHaveLength(2);
    expect(planned(message(words), limits)).toEqual([`word word…${note}`, `+file of ${words.length}`]);
    expect(planned(message(words), { ...limits, media: false })).toHaveLength(3);
    expect(planned(message(words, 'a', 'b'), { ...limits, mediaPerMessage: 1 })).toEqual([
      `word word…${note}`,
      `+file of ${words.length}`,
      '+a',
      '+b',
    ]);
  });

  it('counts the beginning of a very long text by measure, and closes its block of code', () => {
    const limits = { textLength: 300, longestAnswer: 1, measure: (text: string) => 3 * text.length };
    const [head = ''] = planned(message(`\`\`\`ts\n${'const a = 1;\n'.repeat(20)}\`\`\``), limits);
    expect(head).toMatch(/^```ts\n(const a = 1;\n?)+…?\n```\n\n📄 The whole text is in the file\.$/);
    expect(3 * head.length).toBeLessThanOrEqual(300);
  });

  it('has files that may not share a message in messages of their own, in the order of the agent', () => {
    const limits = { mediaPerMessage: 2, isAlbumFile: ({ name = '' }) => name.endsWith('.png') };
    const files = ['1.png', '2.png', '3.png', '4.pdf', '5.png', '6.mp3', '7.pdf'];
    expect(planned(message('Seven.', ...files), limits)).toEqual([
      'Seven. +1.png +2.png',
      '+3.png',
      '+4.pdf',
      '+5.png',
      '+6.mp3',
      '+7.pdf',
    ]);
  });

  it('names files where there can be none', () => {
    expect(planned(message('Here.', 'a'), { media: false })).toEqual(['Here.\n📎 a']);
  });

  it('is nothing where people read the log', () => {
    expect(planned(message('one'), { readsLog: true })).toEqual([]);
  });
});
