import { type ModelReply, type ModelServer, type Replies, startModelServer } from '@plugboard/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { Listener, Question, Said } from '../../src/model/ask.ts';
import { chooseModel } from '../../src/model/choose.ts';
import { createAsk } from '../../src/model/create.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const TOOL = {
  name: 'read',
  description: 'Reads.',
  parameters: { type: 'object', properties: { filePath: { type: 'string' } } },
};

interface Heard {
  readonly deltas: string[];
  readonly thinking: string[];
  readonly again: string[];
}

const PROVIDERS = ['anthropic', 'openai'] as const;
type Provider = (typeof PROVIDERS)[number];

/** A way to ask a scripted server, and what came of it. */
async function asking(
  provider: Provider,
  replies: Replies,
  patience = { attempts: 3, firstWaitMs: 1, longestWaitMs: 2_000 },
) {
  const server = await startModelServer(replies);
  servers.push(server);
  const chosen = chooseModel({ model: `${provider}:m-1`, baseUrl: server.baseUrl, apiKey: 'key-1' });
  const heard: Heard = { deltas: [], thinking: [], again: [] };
  const listener: Listener = {
    delta: (kind, text) => void (kind === 'output' ? heard.deltas : heard.thinking).push(text),
    again: (reason, ms) => void heard.again.push(`${reason} ${ms}`),
  };
  const ask = createAsk(chosen, { now: () => Date.now(), patience, silenceMs: 400 })('turn');
  const question = (more: Partial<Question> = {}) =>
    ask({
      system: 'Be kind.',
      said: [{ role: 'user', text: 'hi' }],
      tools: [TOOL],
      signal: new AbortController().signal,
      listener,
      ...more,
    });
  return { server, heard, question };
}

const failing = (status: number, more: Partial<ModelReply> = {}): ModelReply => ({
  status,
  error: `no ${status}`,
  ...more,
});

describe.each(PROVIDERS)('a model of %s', (provider) => {
  it('streams its answer, and counts what it took', async () => {
    const { question, heard, server } = await asking(provider, [
      { text: 'Hello there, you.', usage: { input: 7, output: 3 } },
    ]);
    const reply = await question();
    expect(reply).toMatchObject({ text: 'Hello there, you.', calls: [], finish: 'stop' });
    expect(reply.usage).toMatchObject({ input_tokens: 7, output_tokens: 3 });
    expect(heard.deltas.join('')).toBe('Hello there, you.');
    expect(heard.deltas.length).toBeGreaterThan(1);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('Be kind.');
  });

  it('calls several tools at once', async () => {
    const { question } = await asking(provider, [
      {
        text: 'Let me see.',
        calls: [
          { name: 'read', input: { filePath: 'a' } },
          { name: 'read', input: { filePath: 'b' } },
        ],
      },
    ]);
    const { calls, finish } = await question();
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['read', { filePath: 'a' }],
      ['read', { filePath: 'b' }],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(finish).toBe('tool-calls');
  });

  it('sees its own calls and their results again', async () => {
    const { question, server } = await asking(provider, [{ text: 'Done.' }]);
    const said: Said[] = [
      { role: 'user', text: 'look' },
      { role: 'assistant', text: 'I look.', calls: [{ id: 'c1', name: 'read', input: { filePath: 'a' } }] },
      { role: 'results', results: [{ id: 'c1', name: 'read', content: 'the words', isError: false }] },
    ];
    await question({ said });
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).toContain('the words');
    expect(body).toContain('c1');
  });

  it('is sent ids of calls that it takes, also those of another provider', async () => {
    const { question, server } = await asking(provider, [{ text: 'Done.' }]);
    const id = 'functions.read:0';
    await question({
      said: [
        { role: 'user', text: 'look' },
        { role: 'assistant', text: '', calls: [{ id, name: 'read', input: {} }] },
        { role: 'results', results: [{ id, name: 'read', content: 'x', isError: false }] },
      ],
    });
    const sent = JSON.stringify(server.requests[0]?.body);
    const expected = provider === 'anthropic' ? 'functions_read_0' : id;
    expect(sent.split(`"${expected}"`)).toHaveLength(3);
  });

  it('is told the name that it made up for a tool', async () => {
    const { question } = await asking(provider, [{ calls: [{ name: 'fly', input: { to: 'x' } }] }]);
    expect((await question()).calls).toMatchObject([{ name: 'fly', input: { to: 'x' } }]);
  });

  it('hears what is wrong with input that is no JSON', async () => {
    const { question } = await asking(provider, [
      { calls: [{ name: 'read', input: '{"filePath": "a' }], finish: 'length' },
    ]);
    const [call] = (await question()).calls;
    expect(call).toMatchObject({ name: 'read' });
    expect(call?.problem).toContain('not valid JSON');
  });

  it.each(['crlf', 'no-space', 'comments', 'bytes'] as const)(
    'is understood when its stream is odd: %s',
    async (odd) => {
      const { question } = await asking(provider, [{ text: 'Grüße, 世界 🙂', odd }]);
      expect((await question()).text).toBe('Grüße, 世界 🙂');
    },
  );

  it('is asked again after a pause that it asks for', async () => {
    const { question, heard } = await asking(provider, [
      failing(429, { headers: { 'retry-after': '1' } }),
      { text: 'ok' },
    ]);
    const started = performance.now();
    expect((await question()).text).toBe('ok');
    expect(performance.now() - started).toBeGreaterThan(990);
    expect(heard.again).toEqual([expect.stringContaining('asks for a pause (429)')]);
  });

  it('is not waited for when it asks for more patience than there is', async () => {
    const { question } = await asking(provider, [failing(429, { headers: { 'retry-after': '3600' } })]);
    await expect(question()).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 3_600_000 });
  });

  it.each([500, 503, 529])('is asked again after %d, and given up after three times', async (status) => {
    const { question, server } = await asking(provider, [failing(status)]);
    await expect(question()).rejects.toMatchObject({ code: 'overloaded' });
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    [401, 'refused-key'],
    [400, 'bad-request'],
    [413, 'too-long'],
  ])('is not asked again after %d', async (status, code) => {
    const { question, server } = await asking(provider, [failing(status)]);
    await expect(question()).rejects.toMatchObject({ code });
    expect(server.requests).toHaveLength(1);
  });

  it('that finds the prompt too long says so, whatever its status', async () => {
    const { question } = await asking(provider, [
      failing(400, { error: 'prompt is too long: 250000 tokens' }),
    ]);
    await expect(question()).rejects.toMatchObject({ code: 'too-long' });
  });

  it.each(['before', 'text', 'call'] as const)(
    'whose connection is reset is asked again: %s',
    async (cut) => {
      const broken = { text: 'Half of it', calls: [{ name: 'read', input: { filePath: 'a' } }], cut };
      const { question, heard } = await asking(provider, [broken, { text: 'All of it.' }]);
      expect((await question()).text).toBe('All of it.');
      expect(heard.again).toHaveLength(1);
    },
  );

  it.each(['text', 'call', 'stop'] as const)(
    'whose stream ends early is asked again, and its half answer is no answer: %s',
    async (short) => {
      const broken = { text: 'Half of it', calls: [{ name: 'read', input: { filePath: 'a' } }], short };
      const { question, heard } = await asking(provider, [broken, { text: 'All of it.' }]);
      expect(await question()).toMatchObject({ text: 'All of it.', calls: [], finish: 'stop' });
      expect(heard.again).toEqual([expect.stringContaining('broke off')]);
    },
  );

  it('whose stream ends before a word was said is asked again', async () => {
    const { question, heard } = await asking(provider, [{ short: 'stop' }, { text: 'All of it.' }]);
    expect((await question()).text).toBe('All of it.');
    expect(heard.again).toHaveLength(1);
  });

  it('whose streams all break off is told as broken off, not as a refusal', async () => {
    const { question } = await asking(provider, [{ text: 'Half of it', cut: 'text' }]);
    await expect(question()).rejects.toMatchObject({
      code: 'broken-off',
      message: expect.not.stringContaining('refused'),
    });
  });

  it('that reports an error in the middle of its answer is asked again', async () => {
    const { question } = await asking(provider, [
      { text: 'Half', streamError: 'Overloaded' },
      { text: 'Whole' },
    ]);
    expect((await question()).text).toBe('Whole');
  });

  it('whose stream is garbage is asked again', async () => {
    const { question, server } = await asking(provider, [{ raw: 'data: {"no\n\ndata: 7\n\n' }]);
    await expect(question()).rejects.toMatchObject({ name: 'ModelError' });
    expect(server.requests.length).toBeGreaterThan(1);
  });

  it('that falls silent is left after a while', async () => {
    const { question, server } = await asking(provider, [
      { text: 'And then', hang: true },
      { text: 'Here.' },
    ]);
    expect((await question()).text).toBe('Here.');
    expect(server.abandoned()).toBe(1);
  });

  it.each(['before', 'during', 'between'] as const)('is interrupted at once: %s', async (when) => {
    const replies = {
      before: { delayMs: 5_000 },
      during: { text: 'on and on', pieceMs: 300 },
      between: failing(429, { headers: { 'retry-after': '2' } }),
    };
    const { question } = await asking(provider, [replies[when]]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('stop')), 150);
    const started = performance.now();
    await expect(question({ signal: controller.signal })).rejects.toBeDefined();
    expect(performance.now() - started).toBeLessThan(400);
  });

  it('that was cut off or refuses says so', async () => {
    const { question } = await asking(provider, [
      { text: 'and so', finish: 'length' },
      { text: '', finish: 'refusal' },
    ]);
    expect((await question()).finish).toBe('length');
    expect((await question()).finish).toBe('content-filter');
  });
});

describe('thinking', () => {
  it('goes back to the provider as it was signed', async () => {
    const { question, server, heard } = await asking('anthropic', [
      {
        thinking: 'I should look.',
        text: 'Looking.',
        calls: [{ name: 'read', input: { filePath: 'a' }, id: 'c1' }],
      },
      { text: 'Done.' },
    ]);
    const { text, calls, kept } = await question();
    expect(heard.thinking.join('')).toBe('I should look.');
    await question({
      said: [
        { role: 'user', text: 'hi' },
        { role: 'assistant', text, calls, ...(kept === undefined ? {} : { kept }) },
        { role: 'results', results: [{ id: 'c1', name: 'read', content: 'x', isError: true }] },
      ],
    });
    expect(server.requests[1]?.body.messages[1].content[0]).toEqual({
      type: 'thinking',
      thinking: 'I should look.',
      signature: 'signed',
    });
    expect(server.requests[1]?.body.messages[2].content[0]).toMatchObject({
      type: 'tool_result',
      is_error: true,
    });
  });
});

describe('a model that is not there', () => {
  it('is reported with its address', async () => {
    const { question, server } = await asking('openai', []);
    await server.close();
    servers.pop();
    await expect(question()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('127.0.0.1'),
    });
  });

  it.each([
    ['anthropic:m', 'ANTHROPIC_API_KEY'],
    ['openai:m', 'OPENAI_API_KEY'],
  ])('for want of a key names the variable: %s', async (model, variable) => {
    const ask = createAsk(chooseModel({ model }), { now: () => 0 })('turn');
    const question = { system: '', said: [], tools: [], signal: new AbortController().signal };
    await expect(ask(question)).rejects.toThrow(variable);
  });
});

describe('the name of a model', () => {
  it.each([
    ['claude-x', undefined, 'claude-x'],
    ['anthropic:claude-x', undefined, 'claude-x'],
    ['openai:qwen3:30b', undefined, 'qwen3:30b'],
    ['qwen3:30b', 'http://127.0.0.1:1/v1', 'qwen3:30b'],
    ['script:/a/b.yaml', undefined, 'script:/a/b.yaml'],
  ])('%s is understood', (model, baseUrl, name) => {
    expect(chooseModel({ model, ...(baseUrl === undefined ? {} : { baseUrl }) }).name).toBe(name);
  });

  it.each(['', 'script:', 'anthropic:'])('%j is refused', (model) => {
    expect(() => chooseModel({ model })).toThrow();
  });
});
