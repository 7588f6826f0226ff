import { describe, expect, it } from 'vitest';
import { replay } from '../../src/loop/replay.ts';
import { trim } from '../../src/loop/trim.ts';
import type { Entry, Remembered, View } from '../../src/memory/memory.ts';
import type { Said } from '../../src/model/ask.ts';

const at = Date.parse('2026-11-15T12:00:00Z');

function viewOf(entries: readonly Entry[], more: Partial<View> = {}): View {
  const recent = entries.map((entry, index): Remembered => ({ ...entry, number: index + 1, at }));
  return { summaries: [], omitted: 0, recent, tokens: 0, ...more };
}

const user = (text: string): Entry => ({ kind: 'user', text });
const assistant = (text: string): Entry => ({ kind: 'assistant', text });
const call = (callId: string, name = 'read'): Entry => ({
  kind: 'call',
  callId,
  name,
  input: { of: callId },
});
const result = (callId: string, content = 'ok'): Entry => ({
  kind: 'result',
  callId,
  content,
  isError: false,
});

/** Only what matters for the order. */
function outline(said: readonly Said[]): string[] {
  return said.map((one) => {
    if (one.role === 'user') return `user ${one.text.split('\n').at(-1)}`;
    if (one.role === 'assistant') return `assistant ${one.text}(${one.calls.map(({ id }) => id).join()})`;
    return `results ${one.results.map(({ id, content }) => `${id}=${content}`).join()}`;
  });
}

describe('what the model is shown of the past', () => {
  it('says of each message when it was said and where it can be found', () => {
    expect(replay(viewOf([user('hi')]))).toEqual([{ role: 'user', text: '[#1, 2026-11-15 12:00 UTC]\nhi' }]);
    const alarm: Entry = { kind: 'user', text: 'tea', origin: 'alarm' };
    expect(replay(viewOf([alarm]))).toMatchObject([{ text: expect.stringContaining('[#1 alarm, ') }]);
  });

  it('has the results of calls made together together, in their order', () => {
    const entries = [
      user('go'),
      assistant('I go.'),
      call('a'),
      call('b'),
      result('b', 'B'),
      result('a', 'A'),
      assistant('Done.'),
    ];
    expect(outline(replay(viewOf(entries)))).toEqual([
      'user go',
      'assistant I go.(past_3,past_4)',
      'results past_3=A,past_4=B',
      'assistant Done.()',
    ]);
  });

  it('keeps calls apart that have the same id in two turns', () => {
    const entries = [call('a'), result('a', 'first'), call('a'), result('a', 'second')];
    expect(outline(replay(viewOf(entries)))).toEqual([
      'assistant (past_1)',
      'results past_1=first',
      'assistant (past_3)',
      'results past_3=second',
    ]);
  });

  it('puts a message that came during calls after their results', () => {
    const entries = [call('a'), call('b'), result('a'), user('wait'), result('b')];
    expect(outline(replay(viewOf(entries)))).toEqual([
      'assistant (past_1,past_2)',
      'results past_1=ok,past_2=ok',
      'user wait',
    ]);
  });

  it('never leaves a call without a result, nor a result without a call', () => {
    const entries = [
      result('lost'),
      call('a'),
      call('b'),
      result('a'),
      { kind: 'note', text: 'interrupted' } as Entry,
      user('again'),
    ];
    expect(outline(replay(viewOf(entries)))).toEqual([
      'assistant (past_2,past_3)',
      expect.stringMatching(/^results past_2=ok,past_3=There is no result/),
      'user interrupted',
      'user again',
    ]);
  });

  it('begins with the summaries, and says what neither they nor the messages show', () => {
    const summary = {
      number: 1,
      from: 1,
      to: 90,
      fromAt: at,
      toAt: at,
      context: 'We built a boat.',
      facts: ['It is red.'],
    };
    const [first] = replay(viewOf([user('hi')], { summaries: [summary], omitted: 7 }));
    const text = first?.role === 'user' ? first.text : '';
    expect(text).toContain('Messages #1 to #90');
    expect(text).toContain('- It is red.');
    expect(text).toContain('(7 messages');
  });
});

describe('what is too much for one question', () => {
  const results = (id: string, chars: number): Said => ({
    role: 'results',
    results: [{ id, name: 'read', content: 'x'.repeat(chars), isError: false }],
  });
  const calling = (id: string): Said => ({
    role: 'assistant',
    text: '',
    calls: [{ id, name: 'read', input: {} }],
  });

  it('stays as it is when it fits', () => {
    const said: Said[] = [{ role: 'user', text: 'hi' }, calling('a'), results('a', 100)];
    expect(trim(said, 1_000)).toEqual(said);
  });

  it('loses old results first, and keeps the last', () => {
    const said: Said[] = [
      { role: 'user', text: 'hi' },
      calling('a'),
      results('a', 40_000),
      calling('b'),
      results('b', 2_000),
    ];
    const kept = trim(said, 2_000);
    expect(kept).toHaveLength(5);
    expect(JSON.stringify(kept[2])).toContain('left out to save room');
    expect(kept[4]).toEqual(said[4]);
  });

  it('then loses the oldest messages, and never a call without its results', () => {
    const said: Said[] = [
      ...Array.from({ length: 50 }, (_, n) => [calling(`c${n}`), results(`c${n}`, 700)]).flat(),
    ];
    const kept = trim(said, 1_000);
    expect(kept.length).toBeLessThan(20);
    expect(kept.length % 2).toBe(0);
    expect(kept[0]?.role).toBe('assistant');
    expect(kept.at(-1)).toEqual(said.at(-1));
  });

  it('cuts even the last message when nothing else helps', () => {
    const [only] = trim([{ role: 'user', text: 'y'.repeat(1_000_000) }], 1_000);
    expect(only?.role === 'user' && only.text.length).toBeLessThan(4_000);
  });
});
