import { createTurn, type Event } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { answerTurn } from '../src/answer.ts';
import { NOBODY_TO_ASK } from '../src/asks.ts';
import type { Handler } from '../src/handler.ts';
import { NO_STEERING } from '../src/steering.ts';

/** Runs `answerTurn` and collects its events. */
async function answer(handler: Handler, signal: AbortSignal = new AbortController().signal, lastWordsMs = 0) {
  const events: Event[] = [];
  await answerTurn(createTurn({ id: '1', text: 'hi' }), handler, {
    emit: async (event) => void events.push(event.type === 'end' ? { ...event, durationMs: 0 } : event),
    signal,
    steering: NO_STEERING,
    ask: NOBODY_TO_ASK,
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
  it('emits one message for a handler that returns text', async () => {
    expect((await answer((turn) => `you: ${turn.text}`)).events).toEqual([
      message('you: hi'),
      end('you: hi'),
    ]);
  });

  it('ends the turn of a handler that returns nothing', async () => {
    expect((await answer(() => {})).events).toEqual([end('')]);
  });

  it('streams yielded text as deltas and emits the full text as a message', async () => {
    const { events } = await answer(async function* () {
      yield 'a';
      yield 'b';
    });
    expect(events).toEqual([delta('a'), delta('b'), message('ab', { streamed: true }), end('ab')]);
  });

  it('marks a message as streamed if a handler repeats the text that it has streamed', async () => {
    const { events } = await answer(async (_turn, io) => {
      await io.delta('ab');
      return 'ab';
    });
    expect(events).toEqual([delta('ab'), message('ab', { streamed: true }), end('ab')]);
  });

  it('does not mark a message as streamed if it differs from the streamed text', async () => {
    const { events } = await answer(async (_turn, io) => {
      await io.delta('thinking…');
      return 'answer';
    });
    expect(events).toEqual([delta('thinking…'), message('answer'), end('answer')]);
  });

  it('puts data, files and usage of a returned result into the end', async () => {
    const { events } = await answer(() => ({ data: { a: 1 }, files: ['x'], usage: { output_tokens: 3 } }));
    expect(events).toEqual([end('', { data: { a: 1 }, files: ['x'], usage: { output_tokens: 3 } })]);
  });

  it('ignores unknown fields of a returned result', async () => {
    const { events } = await answer(() => ({ text: 'yes', type: 'log', outcome: 'error' }));
    expect(events).toEqual([message('yes'), end('yes')]);
  });

  it('fails the turn of a handler that throws and logs the stack', async () => {
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

  it('fails the turn of a handler that calls error and keeps its earlier text', async () => {
    const { events } = await answer(async (_turn, io) => {
      await io.reply('half');
      io.error('broken', 'E1');
    });
    expect(events).toEqual([
      message('half'),
      expect.objectContaining({ outcome: 'error', text: 'half', error: { message: 'broken', code: 'E1' } }),
    ]);
  });

  it('emits tool calls, tool results and attachments', async () => {
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

describe('a handler with an invalid return value', () => {
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
  ])(
    'fails the turn of a handler that returns %s and names the valid types',
    async (_what, returned, sentence) => {
      const { events } = await answer((() => returned) as Handler);
      expect(events.at(-1)).toMatchObject({
        outcome: 'error',
        error: { message: expect.stringContaining(sentence) },
      });
    },
  );

  it.each<[unknown, string]>([
    [42, 'yielded a number'],
    [undefined, 'yielded undefined'],
    [{ answer: 'x' }, 'yielded an object with only answer'],
    [{ type: 'text', text: 'x' }, 'yielded an object of the type "text"'],
  ])('fails the turn of a handler that yields %o and keeps the earlier text', async (piece, sentence) => {
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
  ])('fails the turn of %s that returns a value', async (_what, handler) => {
    const { events } = await answer(handler);
    expect(events.at(-1)).toMatchObject({
      outcome: 'error',
      error: {
        message: expect.stringContaining('is a generator and returned text; yield what is to be said'),
      },
    });
  });

  it.each([undefined, null, {}])('succeeds if a handler returns %o', async (nothing) => {
    expect((await answer((() => nothing) as Handler)).events).toEqual([end('')]);
  });
});

describe('usage', () => {
  it('reports usage of cancelled and of failed turns', async () => {
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

  it('emits a plan, and a tool call with its title and its files', async () => {
    const steps = [{ text: 'look', status: 'running' }] as const;
    const { events } = await answer(async (_turn, io) => {
      await io.plan(steps);
      const done = await io.tool(
        'read',
        { path: 'a' },
        { title: 'Read a', locations: [{ path: 'a', line: 3 }] },
      );
      await done('text');
      io.usage({ tokens: 1 }, { amount: 0.01, currency: 'USD' });
    });
    expect(events).toEqual([
      { type: 'plan', steps },
      {
        type: 'tool-call',
        id: 'call_1',
        name: 'read',
        input: { path: 'a' },
        title: 'Read a',
        locations: [{ path: 'a', line: 3 }],
      },
      { type: 'tool-result', id: 'call_1', content: 'text', isError: false },
      end('', { usage: { tokens: 1 }, cost: { amount: 0.01, currency: 'USD' } }),
    ]);
  });

  it('prefers the usage of a returned result over io.usage', async () => {
    const { events } = await answer((_turn, io) => {
      io.usage({ inputTokens: 3 });
      return { text: 'yes', usage: { inputTokens: 4 } };
    });
    expect(events.at(-1)).toMatchObject({ outcome: 'success', usage: { inputTokens: 4 } });
  });
});

describe('a cancelled turn', () => {
  it('ends a cancelled turn at once if the handler ignores the signal', async () => {
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

  it('emits a tool result for a tool that runs when its turn is cancelled', async () => {
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

  it('ends a cancelled turn whose generator never ends', async () => {
    const controller = new AbortController();
    const { events } = await answer(async function* () {
      yield 'one';
      controller.abort();
      await new Promise(() => {});
    }, controller.signal);
    expect(events.at(-1)).toMatchObject({ outcome: 'cancelled' });
  });

  it('emits events of a cancelled handler for lastWordsMs and no longer', async () => {
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

  it('closes the generator of a cancelled turn', async () => {
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
