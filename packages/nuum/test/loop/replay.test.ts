import type { Said } from '@plugboard/llm';
import { describe, expect, it } from 'vitest';
import { replayMessages, replayPast } from '../../src/loop/replay.ts';
import type { View } from '../../src/memory/memory.ts';
import type { Entry, Remembered } from '../../src/memory/messages/message.ts';

const at = Date.parse('2026-11-15T12:00:00Z');

function replay({ recent, ...past }: View): Said[] {
  return [...replayPast(past, 0), ...replayMessages(recent)].map(({ said }) => said);
}

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
  it('a replayed message has its number and its time', () => {
    expect(replay(viewOf([user('hi')]))).toEqual([{ role: 'user', text: '[#1, 2026-11-15 12:00 UTC]\nhi' }]);
    const alarm: Entry = { kind: 'user', text: 'tea', origin: 'alarm' };
    expect(replay(viewOf([alarm]))).toMatchObject([{ text: expect.stringContaining('[#1 alarm, ') }]);
  });

  it('replayed results of concurrent calls are in one message, in the order of the calls', () => {
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
      'assistant I go.(a,b)',
      'results a=A,b=B',
      'assistant Done.()',
    ]);
  });

  it('replayed calls of two turns keep apart though they have the same id', () => {
    const entries = [call('a'), result('a', 'first'), call('a'), result('a', 'second')];
    expect(outline(replay(viewOf(entries)))).toEqual([
      'assistant (a)',
      'results a=first',
      'assistant (a_2)',
      'results a_2=second',
    ]);
  });

  it('a message that came during calls is replayed after their results', () => {
    const entries = [call('a'), call('b'), result('a'), user('wait'), result('b')];
    expect(outline(replay(viewOf(entries)))).toEqual(['assistant (a,b)', 'results a=ok,b=ok', 'user wait']);
  });

  it('no call is replayed without a result, and no result without a call', () => {
    const entries = [
      result('lost'),
      call('a'),
      call('b'),
      result('a'),
      { kind: 'note', text: 'interrupted' } as Entry,
      user('again'),
    ];
    expect(outline(replay(viewOf(entries)))).toEqual([
      'assistant (a,b)',
      expect.stringMatching(/^results a=ok,b=There is no result/),
      'user interrupted',
      'user again',
    ]);
  });

  it('a replay begins with the summaries, and counts the messages that are not shown', () => {
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
