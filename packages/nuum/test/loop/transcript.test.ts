import type { Said } from '@plugboard/llm';
import { describe, expect, it } from 'vitest';
import { cutItems } from '../../src/loop/cut-items.ts';
import { type Item, itemOf } from '../../src/loop/item.ts';
import { createTranscript } from '../../src/loop/transcript.ts';

const user = (text: string): Said => ({ role: 'user', text });
const calling = (id: string): Said => ({
  role: 'assistant',
  text: '',
  calls: [{ id, name: 'read', input: {} }],
});
const results = (id: string, chars: number): Said => ({
  role: 'results',
  results: [{ id, name: 'read', content: 'x'.repeat(chars), isError: false }],
});
const step = (id: string, chars: number): Said[] => [calling(id), results(id, chars)];
const steps = (count: number, chars: number): Said[] =>
  Array.from({ length: count }, (_, n) => step(`c${n}`, chars)).flat();
/** Each has the number of its place, from 1. */
const numbered = (said: readonly Said[]): Item[] => said.map((one, index) => itemOf(one, index + 1));

describe('a cut', () => {
  const cut = (said: readonly Said[], target: number, turnStart = 0, coveredTo = 0) =>
    cutItems(numbered(said), { target, turnStart, coveredTo });

  it('a cut drops summarised items first, then the oldest of earlier turns', () => {
    const said = [...steps(10, 4_000), user('go'), ...step('last', 4_000)];
    expect(cut(said, 5_000, 20, 6).items.map(({ to }) => to)).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23]);
    expect(cut(said, 50_000, 20, 6)).toMatchObject({ to: 6, turnStart: 14 });
  });

  it('a cut makes stubs of older results of the running turn, and keeps the last', () => {
    const said = [user('hi'), ...step('a', 40_000), ...step('b', 2_000)];
    const { items } = cut(said, 2_000);
    expect(items).toHaveLength(5);
    expect(JSON.stringify(items[2])).toContain('left out to save room');
    expect(items[4]?.said).toEqual(said[4]);
  });

  it('a cut drops the oldest steps of the running turn, but not its user messages', () => {
    const { items, to } = cut([user('do it'), ...steps(50, 700)], 1_000);
    expect(items.length).toBeLessThan(20);
    expect(items.slice(0, 2).map(({ said }) => said.role)).toEqual(['user', 'assistant']);
    expect(items.slice(1).map(({ said }) => said.role)).toEqual(
      Array.from({ length: items.length - 1 }, (_, index) => (index % 2 === 0 ? 'assistant' : 'results')),
    );
    expect(to).toBe(101 - (items.length - 1));
  });

  it('a cut shortens even the last message if necessary, and leaves short ones as they are', () => {
    const { items } = cut([user('hi'), user('y'.repeat(1_000_000))], 1_000);
    expect(items[0]?.said).toEqual(user('hi'));
    expect(items.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(1_100);
  });
});

describe('a transcript', () => {
  it('a transcript keeps its bytes until it is too long, and is then cut far enough for many turns', () => {
    const transcript = createTranscript({ items: numbered([user('go')]), low: 10_000 });
    transcript.beginTurn();
    let before = '';
    const rewritten: number[] = [];
    for (let n = 0; n < 60; n++) {
      for (const one of step(`c${n}`, 4_000)) transcript.add(one);
      transcript.fit(40_000);
      const now = JSON.stringify(transcript.said).slice(0, -1);
      if (!now.startsWith(before)) rewritten.push(n);
      before = now;
    }
    expect(rewritten).toHaveLength(1);
    expect(transcript.tokens).toBeGreaterThan(10_000);
  });

  it('a transcript marks its end and the ends of the two questions before, and forgets them in a cut', () => {
    const transcript = createTranscript({ items: numbered([user('go')]), low: 1_000 });
    const ask = (): readonly number[] => {
      const { marks } = transcript;
      transcript.noteAsked();
      return marks;
    };
    expect(ask()).toEqual([0]);
    for (const one of step('a', 400)) transcript.add(one);
    expect(ask()).toEqual([0, 2]);
    // The same question again, as after a failure.
    expect(ask()).toEqual([0, 2]);
    for (const one of step('b', 400)) transcript.add(one);
    expect(ask()).toEqual([0, 2, 4]);
    for (const one of step('c', 400)) transcript.add(one);
    expect(ask()).toEqual([2, 4, 6]);
    transcript.fit(100);
    expect(transcript.marks).toEqual([transcript.said.length - 1]);
  });

  it('a transcript of too many items is cut, however short they are', () => {
    const transcript = createTranscript({ items: numbered([user('go')]), low: 10_000 });
    const lengths: number[] = [];
    for (let turn = 0; turn < 1_000; turn++) {
      transcript.beginTurn();
      transcript.add(user(`message ${turn}`));
      transcript.fit(40_000);
      lengths.push(transcript.said.length);
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(601);
    expect(lengths.filter((length, index) => length < (lengths[index - 1] ?? 0))).toHaveLength(1);
  });

  it('a transcript begins with the summaries of the items that were cut off', () => {
    const transcript = createTranscript({
      items: numbered(steps(10, 4_000)),
      low: 3_000,
      openAfterCut: (to) => [itemOf(user(`up to ${to}`), to)],
    });
    transcript.beginTurn();
    transcript.add(user('go'));
    transcript.fit(5_000);
    expect(transcript.said[0]).toEqual(user('up to 16'));
  });
});
