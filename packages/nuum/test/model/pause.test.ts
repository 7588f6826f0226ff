import { type ModelReply, type ModelServer, startModelServer } from '@plugboard/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/agent/limits.ts';
import { createNuum } from '../../src/agent/nuum.ts';
import { SILENT_SINK } from '../../src/loop/sink.ts';
import { createAsk } from '../../src/model/ask.ts';
import { chooseModel } from '../../src/model/choose.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { opened } from '../memory/opened.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** An answer in which the provider takes a breath: it wants to be asked to go on. */
function paused(text: string, usage = { input: 10, output: 5 }): ModelReply {
  const blocks: readonly (readonly [string, object])[] =
    text === ''
      ? []
      : [
          ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
          ['content_block_delta', { index: 0, delta: { type: 'text_delta', text } }],
          ['content_block_stop', { index: 0 }],
        ];
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
  };
  const events: readonly (readonly [string, object])[] = [
    ['message_start', { message: { ...message, usage: { input_tokens: usage.input, output_tokens: 1 } } }],
    ...blocks,
    [
      'message_delta',
      { delta: { stop_reason: 'pause_turn', stop_sequence: null }, usage: { output_tokens: usage.output } },
    ],
    ['message_stop', {}],
  ];
  return {
    raw: events
      .map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
      .join(''),
  };
}

async function agent(replies: readonly ModelReply[], limits = LIMITS) {
  const server: ModelServer = await startModelServer(replies);
  const open = opened();
  const { memory, clock } = open;
  const chosen = chooseModel({ model: 'anthropic:m', baseUrl: server.baseUrl, apiKey: 'key-1' });
  const nuum = createNuum({
    ...{
      memory,
      ask: createAsk(chosen, { now: () => clock.now }),
      policy: createPolicy({}),
      limits,
      stays: true,
    },
    ...{ directory: '/tmp', home: '/tmp', environment: {}, allowHosts: [], servers: {} },
    now: () => clock.now,
    newId: () => 'id',
    log: () => {},
  });
  undo.push(
    () => server.close(),
    () => open[Symbol.dispose](),
    () => nuum.close(),
  );
  const messages: string[] = [];
  const deltas: string[] = [];
  const sink = {
    ...SILENT_SINK,
    delta: (_kind: string, text: string) => void deltas.push(text),
    message: async (text: string) => void messages.push(text),
  };
  const respond = (text: string) =>
    nuum.respond(
      { text },
      { sink, askPermission: async () => ({ allowed: false }), signal: new AbortController().signal },
    );
  return { server, memory, messages, deltas, respond };
}

describe('a model that pauses in its answer', () => {
  it('a model that pauses is asked to continue, and the parts are one answer', async () => {
    const { respond, server, messages, deltas, memory } = await agent([
      paused('Half of ', { input: 10, output: 5 }),
      { text: 'the answer.', usage: { input: 20, output: 7 } },
    ]);
    const answered = await respond('go');
    expect(answered).toMatchObject({
      text: 'Half of the answer.',
      usage: { input_tokens: 30, output_tokens: 12 },
    });
    expect(answered.problem).toBeUndefined();
    expect(messages).toEqual(['Half of the answer.']);
    expect(deltas.join('')).toBe('Half of the answer.');
    expect(server.requests).toHaveLength(2);
    const [asked, answer] = server.requests[1]?.body.messages.slice(-2) ?? [];
    expect(asked.role).toBe('user');
    expect(answer).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'Half of' }] });
    const kept = memory.messages.view(10_000).recent;
    expect(kept.map((one) => ('text' in one ? one.text : '')).join('')).toContain('Half of the answer.');
  });

  it('a model that pauses before its first word is asked once more', async () => {
    const { respond, messages, server } = await agent([paused(''), { text: 'Here.' }]);
    expect(await respond('go')).toMatchObject({ text: 'Here.' });
    expect(messages).toEqual(['Here.']);
    expect(server.requests[1]?.body.messages).toHaveLength(1);
  });

  it('a model that calls a tool after a pause has its text sent first', async () => {
    const { respond, messages, server } = await agent([
      paused('Let me '),
      { text: 'see.', calls: [{ name: 'list_tasks', input: {} }] },
      { text: 'Nothing to do.' },
    ]);
    expect(await respond('go')).toMatchObject({ text: 'Nothing to do.' });
    expect(messages).toEqual(['Let me see.', 'Nothing to do.']);
    expect(server.requests).toHaveLength(3);
  });

  it('a model that pauses for ever is ended by the limit of the turn', async () => {
    const budget = { steps: 3, tokens: 0, ms: 0 };
    const { respond, server } = await agent([paused('a')], { ...LIMITS, budget });
    expect(await respond('go')).toMatchObject({ text: 'aaa', problem: { code: 'budget' } });
    expect(server.requests).toHaveLength(3);
  });
});
