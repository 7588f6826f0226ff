import { describe, expect, it } from 'vitest';
import { createSse, pushSse, type SseMessage } from '../src/api/sse.ts';

const STREAM = [
  ': hello',
  '',
  'event: event',
  'id: 7',
  'data: {"text":"a"}',
  '',
  'retry: 1500',
  'data: one',
  'data:two',
  'unknown: field',
  '',
  'event: nothing',
  '',
  'data: äöü 👋',
  '',
  '',
].join('\n');

const MESSAGES: SseMessage[] = [
  { event: 'event', id: '7', data: '{"text":"a"}' },
  { event: 'message', id: null, data: 'one\ntwo' },
  { event: 'message', id: null, data: 'äöü 👋' },
];

describe.each([
  ['LF', STREAM],
  ['CR LF', STREAM.replaceAll('\n', '\r\n')],
  ['CR', STREAM.replaceAll('\n', '\r')],
])('a stream with lines that end with %s', (_name, stream) => {
  it('gives the same messages wherever it is cut in two', () => {
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const state = createSse();
      const messages = [...pushSse(state, stream.slice(0, cut)), ...pushSse(state, stream.slice(cut))];
      expect(messages, `cut at ${cut}`).toEqual(MESSAGES);
      expect(state.retry).toBe(1500);
    }
  });

  it('gives the same messages character by character', () => {
    const state = createSse();
    expect([...stream].flatMap((character) => pushSse(state, character))).toEqual(MESSAGES);
  });
});

it('gives nothing of a message that is not complete', () => {
  expect(pushSse(createSse(), 'data: half\n')).toEqual([]);
});
