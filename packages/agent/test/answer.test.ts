import { createTurn, type Event } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { answerTurn } from '../src/answer.ts';
import type { Handler } from '../src/handler.ts';
import { NOBODY_TO_ASK } from '../src/permission.ts';
import { NO_STEERING } from '../src/steering.ts';

/** What a handler's answer is made into. */
async function answer(handler: Handler, signal: AbortSignal = new AbortController().signal, lastWordsMs = 0) {
  const events: Event[] = [];
  await answerTurn(createTurn({ id: '1', text: 'hi' }), handler, {
    emit: async (event) => void events.push(event.type === 'end' ? { ...event, durationMs: 0 } : event),
    signal,
    steering: NO_STEERING,
    askPermission: NOBODY_TO_ASK,
    lastWordsMs,
  });
  return { events };
}

const message = (text: string, extra: object = {}) => ({ type: 'message', text, media: [], ...extra });
const delta = (text: string) => ({ type: 'delta', kind: 'output', text });
const end = (text: string, extra: object = {}) => ({
  type: 'end',
  outcome: 'success',
  text,
  durationMs: 0,
  ...extra,
});

describe('a handler', () => {
  it('that returns text says it as one message', async () => {
    expect((await answer((turn) => `you: ${turn.text}`)).events).toEqual([
      message('you: hi'),
      end('you: hi'),
    ]);
  });

  it('that returns nothing ends the turn all the same', async () => {
    expect((await answer(() => {})).events).toEqual([end('')]);
  });

  it('that yields text streams it, and a message says it in full', async () => {
    const { events } = await answer(async function* () {
      yield 'a';
      yield 'b';
    });
    expect(events).toEqual([delta('a'), delta('b'), message('ab', { streamed: true }), end('ab')]);
  });

  it('that says in full what it has streamed is not heard twice', async () => {
    const { events } = await answer(async (_turn, io) => {
      await io.delta('ab');
      return 'ab';
    });
    expect(events).toEqual([delta('ab'), message('ab', { streamed: true }), end('ab')]);
  });

  it('that says something else than it has streamed is heard', async () => {
    const { events } = await answer(async (_turn, io) => {
      await io.delta('thinking…');
      return 'answer';
    });
    expect(events).toEqual([delta('thinking…'), message('answer'), end('answer')]);
  });

  it('may return a result with data, files and usage', async () => {
    const { events } = await answer(() => ({ data: { a: 1 }, files: ['x'], usage: { output_tokens: 3 } }));
    expect(events).toEqual([end('', { data: { a: 1 }, files: ['x'], usage: { output_tokens: 3 } })]);
  });

  it('that returns more than a result has is heard, and the rest changes nothing', async () => {
    const { events } = await answer(() => ({ text: 'yes', type: 'log', outcome: 'error' }));
    expect(events).toEqual([message('yes'), end('yes')]);
  });

  it('that throws fails the turn with its words, and the operator is told', async () => {
    const { events } = await answer(() => {
      throw new Error('no model');
    });
    expect(events).toEqual([
      expect.objectContaining({
        type: 'log',
        level: 'error',
        text: expect.stringContaining('answer.test.ts'),
      }),
      expect.objectContaining({ outcome: 'error', error: { message: 'no model' } }),
    ]);
  });

  it('that reports an error fails the turn, with what it has said before kept', async () => {
    const { events } = await answer(async (_turn, io) => {
      await io.reply('half');
      io.error('broken', 'E1');
    });
    expect(events).toEqual([
      message('half'),
      expect.objectContaining({ outcome: 'error', text: 'half', error: { message: 'broken', code: 'E1' } }),
    ]);
  });

  it('names tools and files', async () => {
    const { events } = await answer(async (_turn, io) => {
      const done = await io.tool('read', { path: 'x' });
      await done('contents', true);
      await io.reply('see', { media: ['/tmp/a.png', 'https://example.test/b.mp3'] });
    });
    expect(events.slice(0, 3)).toEqual([
      { type: 'tool-call', id: 'call_1', name: 'read', input: { path: 'x' } },
      { type: 'tool-result', id: 'call_1', content: 'contents', isError: true },
      {
        type: 'message',
        text: 'see',
        media: [
          { kind: 'image', path: '/tmp/a.png', name: 'a.png' },
          { kind: 'audio', url: 'https://example.test/b.mp3' },
        ],
      },
    ]);
  });
});

describe('a handler whose answer is none', () => {
  it.each<[string, unknown, string]>([
    ['a number', 42, 'returned a number; it may return text, an object with text, data, files or usage'],
    ['a boolean', false, 'returned a boolean'],
    ['a function', () => 'x', 'returned a function'],
    ['other fields', { answer: 'x', model: 'm' }, 'returned an object with only answer, model'],
    ['an error', new Error('no'), 'returned an object of the class Error'],
    ['bytes', Buffer.from('x'), 'returned an object of the class Buffer'],
    ['a list of numbers', [1], 'yielded a number; it may yield text'],
    ['text that is none', { text: 42 }, 'an object whose text is a number; it must be a string'],
    ['files that are none', { files: 'a.md' }, 'an object whose files is text; it must be an array'],
    ['usage that is none', { usage: 3 }, 'an object whose usage is a number'],
  ])('fails the turn for %s and says what it may be', async (_what, returned, sentence) => {
    const { events } = await answer((() => returned) as Handler);
    expect(events.at(-1)).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining(sentence) },
    });
  });

  it.each<[unknown, string]>([
    [42, 'yielded a number'],
    [undefined, 'yielded undefined'],
    [{ answer: 'x' }, 'yielded an object with only answer'],
    [{ type: 'text', text: 'x' }, 'yielded an object of the type "text"'],
  ])('fails the turn for a piece that is %o, with what was said before kept', async (piece, sentence) => {
    const { events } = await answer(async function* () {
      yield 'before';
      yield piece as string;
    });
    expect(events[0]).toEqual(delta('before'));
    expect(events.at(-1)).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining(sentence) },
    });
  });

  it.each([
    [
      'a generator',
      () =>
        (function* () {
          yield 'a';
          return 'b';
        })(),
    ],
    [
      'an async generator',
      () =>
        (async function* () {
          yield 'a';
          return 'b';
        })(),
    ],
  ])('fails the turn of %s that returns something, which nobody would hear', async (_what, handler) => {
    const { events } = await answer(handler);
    expect(events.at(-1)).toMatchObject({
      outcome: 'error',
      error: {
        message: expect.stringContaining('is a generator and returned text; yield what is to be said'),
      },
    });
  });

  it.each([undefined, null, {}])('is no failure where there is nothing in it: %o', async (nothing) => {
    expect((await answer((() => nothing) as Handler)).events).toEqual([end('')]);
  });
});

describe('what a turn has used', () => {
  it('is told also when it is cancelled, or fails', async () => {
    const controller = new AbortController();
    const cancelled = await answer((_turn, io) => {
      io.usage({ inputTokens: 3 });
      io.usage({ inputTokens: 5 });
      controller.abort();
    }, controller.signal);
    expect(cancelled.events.at(-1)).toMatchObject({ outcome: 'cancelled', usage: { inputTokens: 5 } });
    const failed = await answer((_turn, io) => {
      io.usage({ inputTokens: 3 });
      throw new Error('no');
    });
    expect(failed.events.at(-1)).toMatchObject({ outcome: 'error', usage: { inputTokens: 3 } });
  });

  it('is what the result says, where that says something', async () => {
    const { events } = await answer((_turn, io) => {
      io.usage({ inputTokens: 3 });
      return { text: 'yes', usage: { inputTokens: 4 } };
    });
    expect(events.at(-1)).toMatchObject({ outcome: 'success', usage: { inputTokens: 4 } });
  });
});

describe('a cancelled turn', () => {
  it('ends at once, although the handler does not heed the signal', async () => {
    const controller = new AbortController();
    const answering = answer(async (_turn, io) => {
      await io.reply('before');
      controller.abort();
      await io.reply('after');
      await new Promise(() => {});
    }, controller.signal);
    expect((await answering).events).toEqual([
      message('before'),
      expect.objectContaining({ type: 'end', outcome: 'cancelled', text: 'before' }),
    ]);
  });

  it('tells what became of a tool that was at work', async () => {
    const controller = new AbortController();
    const { events } = await answer(async (_turn, io) => {
      const done = await io.tool('read', {});
      await done('read it');
      const never = await io.tool('bash', {});
      controller.abort();
      await never('too late');
      await new Promise(() => {});
    }, controller.signal);
    expect(events).toMatchObject([
      { type: 'tool-call', id: 'call_1' },
      { type: 'tool-result', id: 'call_1', content: 'read it', isError: false },
      { type: 'tool-call', id: 'call_2' },
      { type: 'tool-result', id: 'call_2', isError: true },
      { type: 'end', outcome: 'cancelled' },
    ]);
  });

  it('ends although a generator never comes to an end', async () => {
    const controller = new AbortController();
    const { events } = await answer(async function* () {
      yield 'one';
      controller.abort();
      await new Promise(() => {});
    }, controller.signal);
    expect(events.at(-1)).toMatchObject({ outcome: 'cancelled' });
  });

  it('waits for the last words of a handler that has some, and no longer than it may', async () => {
    const cancelled = AbortSignal.abort();
    const { events } = await answer(
      async (_turn, io) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await io.session('s-1');
        await io.emit({ type: 'end', outcome: 'cancelled', text: '', usage: { tokens: 3 } });
      },
      cancelled,
      5_000,
    );
    expect(events).toMatchObject([
      { type: 'session', id: 's-1' },
      { outcome: 'cancelled', usage: { tokens: 3 } },
    ]);
    const late = await answer(() => new Promise(() => {}), cancelled, 20);
    expect(late.events).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('closes a generator that would go on', async () => {
    const controller = new AbortController();
    let pulled = 0;
    let closed = false;
    await answer(async function* () {
      try {
        for (;;) {
          yield `${++pulled}`;
          if (pulled === 2) controller.abort();
        }
      } finally {
        closed = true;
      }
    }, controller.signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect([pulled, closed]).toEqual([3, true]);
  });
});
