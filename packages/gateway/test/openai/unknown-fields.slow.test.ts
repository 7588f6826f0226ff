import { describe, expect, it } from 'vitest';
import { shell } from '../harness.ts';
import { type Desk, startDesk } from './client.ts';

const messages = [{ role: 'user', content: 'hi' }];
const chat = { model: 'one', messages };
const response = { model: 'one', input: 'hi' };

const UNKNOWN = {
  top_k: 3,
  min_p: 0.1,
  thinking: { type: 'enabled', budget_tokens: 7 },
  cache_control: { type: 'ephemeral' },
  metadata: { tags: ['a'], nested: { deep: 1 } },
};

async function post({ call }: Desk, route: string, body: object): Promise<[number, unknown]> {
  const answer = await call('POST', `/v1/${route}`, body);
  return [answer.status, await answer.json()];
}

const one = (server: { openaiStrict?: boolean } = {}) =>
  startDesk({ agents: (at) => [shell('one', 'echo 1', at)], server });

const part = { type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } };
const inputPart = { type: 'input_text', text: 'hi', cache_control: { type: 'ephemeral' } };

const PASSED: [route: string, body: object, param: string][] = [
  ['chat/completions', { ...chat, top_k: 3 }, 'top_k'],
  ['chat/completions', { ...chat, metadata: { a: { b: 1 } } }, 'metadata.a'],
  ['chat/completions', { ...chat, ...UNKNOWN, metadata: {} }, 'top_k'],
  ['chat/completions', { ...chat, stream_options: { extra: 1 } }, 'stream_options.extra'],
  [
    'chat/completions',
    { ...chat, messages: [{ role: 'user', content: [part] }] },
    'messages[0].content[0].cache_control',
  ],
  [
    'chat/completions',
    { ...chat, messages: [{ role: 'system', content: 'x', cache_control: {} }, ...messages] },
    'messages[0].cache_control',
  ],
  ['responses', { ...response, thinking: {} }, 'thinking'],
  ['responses', { ...response, metadata: { a: 7 } }, 'metadata.a'],
  [
    'responses',
    { ...response, input: [{ role: 'user', content: [inputPart] }] },
    'input[0].content[0].cache_control',
  ],
  ['responses', { ...response, input: [{ role: 'user', content: 'hi', extra: 1 }] }, 'input[0].extra'],
];

describe.concurrent('a field that is not known', () => {
  it('is passed over', async () => {
    const desk = await one();
    for (const [route, body] of PASSED) expect((await post(desk, route, body))[0]).toBe(200);
    expect(await post(desk, 'responses', { ...response, ...UNKNOWN })).toEqual([
      200,
      expect.objectContaining({ metadata: UNKNOWN.metadata }),
    ]);
  });

  it('is refused by server.openai_strict, which takes the fields that are known', async () => {
    const desk = await one({ openaiStrict: true });
    for (const [route, body, param] of PASSED) {
      expect(await post(desk, route, body)).toEqual([
        400,
        { error: expect.objectContaining({ param, type: 'invalid_request_error' }) },
      ]);
    }
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], anything: { deep: [1] } };
    const known = [
      ['chat/completions', { ...chat, temperature: 1, metadata: { a: 'b' }, logit_bias: { 5: 1 } }],
      ['responses', { ...response, text: { verbosity: 'low' }, reasoning: { effort: 'low', more: [1] } }],
      ['responses', { ...response, input: [reasoning, { role: 'user', content: [inputText] }] }],
    ] as const;
    for (const [route, body] of known) expect((await post(desk, route, body))[0]).toBe(200);
  });

  it('is refused all the same when the answer would not be what was asked for', async () => {
    const desk = await one();
    const refused = [
      { response_format: { type: 'json_object' } },
      { text: { format: { type: 'json_schema' } } },
      { guided_json: {} },
      { structured_outputs: {} },
      { n: 2 },
      { logprobs: true },
      { top_logprobs: 3 },
      { web_search_options: {} },
      { functions: [{ name: 'f' }] },
      { tool_choice: 'required' },
      { modalities: ['audio'] },
      { prompt: { id: 'p' } },
      { background: true },
      { metadata: { session: 7 } },
    ];
    for (const more of refused) {
      expect((await post(desk, 'chat/completions', { ...chat, ...more }))[0], JSON.stringify(more)).toBe(400);
      expect((await post(desk, 'responses', { ...response, ...more }))[0], JSON.stringify(more)).toBe(400);
    }
    for (const more of [{ instructions: 'x' }, { previous_response_id: 'resp_x' }]) {
      expect((await post(desk, 'chat/completions', { ...chat, ...more }))[0]).toBe(400);
    }
    expect(await desk.store.sessions.list({ limit: 1 })).toEqual([]);
  });
});

const inputText = { type: 'input_text', text: 'hi' };

describe.concurrent('the text of an error', () => {
  it.each([false, true])('stays short, whatever the body holds; strict: %s', async (openaiStrict) => {
    const desk = await one({ openaiStrict });
    const long = 'k'.repeat(100_000);
    const bodies: [string, object][] = [
      ['chat/completions', { ...chat, [long]: 1, n: 2 }],
      ['chat/completions', { ...chat, model: long }],
      ['chat/completions', { ...chat, messages: [{ role: long, content: 'hi' }] }],
      ['chat/completions', { ...chat, metadata: { session: long } }],
      ['chat/completions', { ...chat, response_format: { type: long } }],
      ['chat/completions', { ...chat, tool_choice: long }],
      ['responses', { ...response, metadata: { [long]: 7, session: '' } }],
      ['responses', { ...response, [long]: 1, previous_response_id: 'p'.repeat(200) }],
      ['responses', { ...response, previous_response_id: long }],
      ['responses', { ...response, input: [{ type: 'item_reference', id: long }] }],
      ['responses', { ...response, input: [{ type: long, id: 'x' }] }],
      ['responses', { ...response, input: Array(2_000).fill({ type: long.slice(0, 100) }) }],
    ];
    for (const [route, body] of bodies) {
      const [status, answer] = await post(desk, route, body);
      expect([400, 404]).toContain(status);
      expect(JSON.stringify(answer).length).toBeLessThan(1_000);
    }
  });
});
