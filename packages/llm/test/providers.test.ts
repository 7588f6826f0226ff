import type { ModelReply } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Said } from '../src/index.ts';
import { PROVIDERS, startAsking } from './asking.ts';

const failing = (status: number, more: Partial<ModelReply> = {}): ModelReply => ({
  status,
  error: `no ${status}`,
  ...more,
});

describe.each(PROVIDERS)('a model of %s', (provider) => {
  it(`${provider} streams an answer and counts its tokens`, async () => {
    await using asking = await startAsking(provider, [
      { text: 'Hello there, you.', usage: { input: 7, output: 3 } },
    ]);
    const reply = await asking.ask();
    expect(reply).toMatchObject({ text: 'Hello there, you.', calls: [], finish: 'stop' });
    expect(reply.usage).toMatchObject({ input_tokens: 7, output_tokens: 3 });
    expect(asking.heard.deltas.join('')).toBe('Hello there, you.');
    expect(asking.heard.deltas.length).toBeGreaterThan(1);
    expect(JSON.stringify(asking.server.requests[0]?.body)).toContain('Be kind.');
  });

  it(`${provider} calls several tools in one answer`, async () => {
    await using asking = await startAsking(provider, [
      {
        text: 'Let me see.',
        calls: [
          { name: 'read', input: { filePath: 'a' } },
          { name: 'read', input: { filePath: 'b' } },
        ],
      },
    ]);
    const { calls, finish } = await asking.ask();
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['read', { filePath: 'a' }],
      ['read', { filePath: 'b' }],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(finish).toBe('tool-calls');
  });

  it(`${provider} gets its own calls and their results back`, async () => {
    await using asking = await startAsking(provider, [{ text: 'Done.' }]);
    const said: Said[] = [
      { role: 'user', text: 'look' },
      { role: 'assistant', text: 'I look.', calls: [{ id: 'c1', name: 'read', input: { filePath: 'a' } }] },
      { role: 'results', results: [{ id: 'c1', name: 'read', content: 'the words', isError: false }] },
    ];
    await asking.ask({ said });
    const body = JSON.stringify(asking.server.requests[0]?.body);
    expect(body).toContain('the words');
    expect(body).toContain('c1');
  });

  it(`${provider} gets ids of calls that it accepts, also those of another provider`, async () => {
    await using asking = await startAsking(provider, [{ text: 'Done.' }]);
    const id = 'functions.read:0';
    await asking.ask({
      said: [
        { role: 'user', text: 'look' },
        { role: 'assistant', text: '', calls: [{ id, name: 'read', input: {} }] },
        { role: 'results', results: [{ id, name: 'read', content: 'x', isError: false }] },
      ],
    });
    const sent = JSON.stringify(asking.server.requests[0]?.body);
    const expected = provider === 'anthropic' ? 'functions_read_0' : id;
    expect(sent.split(`"${expected}"`)).toHaveLength(3);
  });

  it(`${provider} may call a tool that does not exist`, async () => {
    await using asking = await startAsking(provider, [{ calls: [{ name: 'fly', input: { to: 'x' } }] }]);
    expect((await asking.ask()).calls).toMatchObject([{ name: 'fly', input: { to: 'x' } }]);
  });

  it(`${provider} is told why the input of a call is no JSON`, async () => {
    await using asking = await startAsking(provider, [
      { calls: [{ name: 'read', input: '{"filePath": "a' }], finish: 'length' },
    ]);
    const [call] = (await asking.ask()).calls;
    expect(call).toMatchObject({ name: 'read' });
    expect(call?.problem).toContain('not valid JSON');
  });

  it.each(['crlf', 'no-space', 'comments', 'bytes'] as const)(
    `${provider} may send an odd event stream: %s`,
    async (odd) => {
      await using asking = await startAsking(provider, [{ text: 'Grüße, 世界 🙂', odd }]);
      expect((await asking.ask()).text).toBe('Grüße, 世界 🙂');
    },
  );

  it(`${provider} is asked again after the pause of its retry-after header`, async () => {
    await using asking = await startAsking(provider, [
      failing(429, { headers: { 'retry-after': '1' } }),
      { text: 'ok' },
    ]);
    const started = performance.now();
    expect((await asking.ask()).text).toBe('ok');
    expect(performance.now() - started).toBeGreaterThan(990);
    expect(asking.heard.again).toEqual([expect.stringMatching(/^rate-limited: .* 1000$/)]);
  });

  it(`${provider} is not asked again when it asks for a longer pause than the limit`, async () => {
    await using asking = await startAsking(provider, [failing(429, { headers: { 'retry-after': '3600' } })]);
    await expect(asking.ask()).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 3_600_000 });
  });

  it.each([500, 503, 529])(`${provider} is asked three times when it answers %d`, async (status) => {
    await using asking = await startAsking(provider, [failing(status)]);
    await expect(asking.ask()).rejects.toMatchObject({ code: 'overloaded' });
    expect(asking.server.requests).toHaveLength(3);
  });

  it.each([
    [401, 'refused-key'],
    [400, 'bad-request'],
    [413, 'too-long'],
  ])(`${provider} is not asked again after %d`, async (status, code) => {
    await using asking = await startAsking(provider, [failing(status)]);
    await expect(asking.ask()).rejects.toMatchObject({ code });
    expect(asking.server.requests).toHaveLength(1);
  });

  it(`${provider} may report a too long prompt with any status`, async () => {
    await using asking = await startAsking(provider, [
      failing(400, { error: 'prompt is too long: 250000 tokens' }),
    ]);
    await expect(asking.ask()).rejects.toMatchObject({ code: 'too-long' });
  });

  it.each(['before', 'text', 'call'] as const)(
    `${provider} is asked again after a reset connection: %s`,
    async (cut) => {
      const broken = { text: 'Half of it', calls: [{ name: 'read', input: { filePath: 'a' } }], cut };
      await using asking = await startAsking(provider, [broken, { text: 'All of it.' }]);
      expect((await asking.ask()).text).toBe('All of it.');
      expect(asking.heard.again).toHaveLength(1);
    },
  );

  it.each(['text', 'call', 'stop'] as const)(
    `${provider} is asked again after a stream that ended early, whose half answer is discarded: %s`,
    async (short) => {
      const broken = { text: 'Half of it', calls: [{ name: 'read', input: { filePath: 'a' } }], short };
      await using asking = await startAsking(provider, [broken, { text: 'All of it.' }]);
      expect(await asking.ask()).toMatchObject({ text: 'All of it.', calls: [], finish: 'stop' });
      expect(asking.heard.again).toEqual([expect.stringContaining('broken-off')]);
    },
  );

  it(`${provider} is asked again after an empty stream`, async () => {
    await using asking = await startAsking(provider, [{ short: 'stop' }, { text: 'All of it.' }]);
    expect((await asking.ask()).text).toBe('All of it.');
    expect(asking.heard.again).toHaveLength(1);
  });

  it(`${provider} gets the code broken-off when all its streams break off`, async () => {
    await using asking = await startAsking(provider, [{ text: 'Half of it', cut: 'text' }]);
    await expect(asking.ask()).rejects.toMatchObject({
      code: 'broken-off',
      message: expect.stringMatching(/^broken-off/),
    });
  });

  it(`${provider} is asked again after an error event in its stream`, async () => {
    await using asking = await startAsking(provider, [
      { text: 'Half', streamError: 'Overloaded' },
      { text: 'Whole' },
    ]);
    expect((await asking.ask()).text).toBe('Whole');
  });

  it(`${provider} is asked again after a stream of garbage`, async () => {
    await using asking = await startAsking(provider, [{ raw: 'data: {"no\n\ndata: 7\n\n' }]);
    await expect(asking.ask()).rejects.toMatchObject({ name: 'ModelError' });
    expect(asking.server.requests.length).toBeGreaterThan(1);
  });

  it(`${provider} is asked again when it falls silent`, async () => {
    const replies = [{ text: 'And then', hang: true }, { text: 'Here.' }];
    await using asking = await startAsking(provider, replies, { silenceMs: 400 });
    expect((await asking.ask()).text).toBe('Here.');
    expect(asking.server.abandoned()).toBe(1);
  });

  it.each(['before', 'during', 'between'] as const)(
    `${provider} is interrupted at once: %s`,
    async (when) => {
      const replies = {
        before: { delayMs: 5_000 },
        during: { text: 'on and on', pieceMs: 300 },
        between: failing(429, { headers: { 'retry-after': '2' } }),
      };
      await using asking = await startAsking(provider, [replies[when]]);
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error('stop')), 150);
      const started = performance.now();
      await expect(asking.ask({ signal: controller.signal })).rejects.toBeDefined();
      expect(performance.now() - started).toBeLessThan(1_500);
    },
  );

  it(`${provider} reports answers that were cut off or refused`, async () => {
    await using asking = await startAsking(provider, [
      { text: 'and so', finish: 'length' },
      { text: '', finish: 'refusal' },
    ]);
    expect((await asking.ask()).finish).toBe('length');
    expect((await asking.ask()).finish).toBe('content-filter');
  });
});

describe('thinking', () => {
  it('thinking is sent back to the provider with its signature', async () => {
    await using asking = await startAsking('anthropic', [
      {
        thinking: 'I should look.',
        text: 'Looking.',
        calls: [{ name: 'read', input: { filePath: 'a' }, id: 'c1' }],
      },
      { text: 'Done.' },
    ]);
    const { text, calls, kept } = await asking.ask();
    expect(asking.heard.thinking.join('')).toBe('I should look.');
    await asking.ask({
      said: [
        { role: 'user', text: 'hi' },
        { role: 'assistant', text, calls, ...(kept === undefined ? {} : { kept }) },
        { role: 'results', results: [{ id: 'c1', name: 'read', content: 'x', isError: true }] },
      ],
    });
    expect(asking.server.requests[1]?.body.messages[1].content[0]).toEqual({
      type: 'thinking',
      thinking: 'I should look.',
      signature: 'signed',
    });
    expect(asking.server.requests[1]?.body.messages[2].content[0]).toMatchObject({
      type: 'tool_result',
      is_error: true,
    });
  });
});
