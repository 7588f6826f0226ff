import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSse, pushSse, type SseMessage } from '../src/index.ts';

const STREAM = [
  '\ufeff: hello',
  '',
  'event: event',
  'id: 7',
  'data: {"text":"a"}',
  '',
  'retry: 1500',
  'retry: soon',
  'data: one',
  'data:two',
  'unknown: field',
  '',
  'event: nothing',
  '',
  'data',
  '',
  'id: a\0b',
  'data:  äöü 👋',
  '',
  '',
].join('\n');

const MESSAGES: SseMessage[] = [
  { event: 'event', id: '7', data: '{"text":"a"}' },
  { event: 'message', id: null, data: 'one\ntwo' },
  { event: 'message', id: null, data: '' },
  { event: 'message', id: null, data: ' äöü 👋' },
];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(chunks: Iterable<Uint8Array>): { messages: SseMessage[]; retry: number | null } {
  const state = createSse();
  const messages = [...chunks].flatMap((chunk) => pushSse(state, chunk));
  return { messages, retry: state.retry };
}

describe.each([
  ['LF', STREAM],
  ['CR LF', STREAM.replaceAll('\n', '\r\n')],
  ['CR', STREAM.replaceAll('\n', '\r')],
])('an event stream with lines that end with %s', (_name, stream) => {
  const bytes = bytesOf(stream);

  it('gives the same messages wherever its bytes are cut in two', () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { messages, retry } = readAll([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(messages, `cut at ${cut}`).toEqual(MESSAGES);
      expect(retry).toBe(1500);
    }
  });

  it('gives the same messages byte by byte', () => {
    expect(readAll(Array.from(bytes, (byte) => Uint8Array.of(byte))).messages).toEqual(MESSAGES);
  });
});

it('an event stream gives nothing of a message that is not complete', () => {
  expect(readAll([bytesOf('data: half\n')]).messages).toEqual([]);
});

it('an event stream gives back any messages that were written, with any line ends and any cuts', () => {
  const word = fc
    .string({ unit: 'binary', maxLength: 12 })
    .map((text) => text.replace(/[\r\n\0]/g, '').toWellFormed());
  const message = fc.record({
    event: word.map((name) => name || 'message'),
    id: fc.option(word),
    lines: fc.array(word, { minLength: 1, maxLength: 3 }),
  });
  const sizes = fc.infiniteStream(fc.integer({ min: 0, max: 9 }));
  const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), lineEnd, sizes, (written, end, cuts) => {
      const text = written
        .flatMap(({ event, id, lines }) => [
          `event: ${event}`,
          ...(id === null ? [] : [`id: ${id}`]),
          ': comment',
          ...lines.map((line) => `data: ${line}`),
          '',
        ])
        .map((line) => line + end)
        .join('');
      const wanted = written.map(({ event, id, lines }) => ({ event, id, data: lines.join('\n') }));
      expect(readAll(cutUp(bytesOf(text), cuts)).messages).toEqual(wanted);
    }),
  );
});

function* cutUp(bytes: Uint8Array, sizes: Iterable<number>): Generator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) return;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
