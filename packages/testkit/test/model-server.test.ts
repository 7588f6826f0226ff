import OpenAI from 'openai';
import { expect, it, onTestFinished } from 'vitest';
import { type ModelReply, type ModelServer, startModelServer } from '../src/index.ts';

async function serve(...replies: readonly ModelReply[]): Promise<ModelServer> {
  const server = await startModelServer(replies);
  onTestFinished(() => server.close());
  return server;
}

const openai = ({ baseUrl }: ModelServer): OpenAI =>
  new OpenAI({ apiKey: 'scripted', baseURL: baseUrl, maxRetries: 0 });

it('speaks Responses as the client of OpenAI reads them: thought, text, both kinds of calls', async () => {
  const server = await serve({
    thinking: 'I ponder this.',
    text: 'Two calls.',
    calls: [
      { name: 'run', input: { command: 'ls' } },
      { name: 'patch', input: '*** Begin' },
    ],
  });
  const stream = openai(server).responses.stream({
    model: 'm',
    input: 'hello',
    tools: [{ type: 'custom', name: 'patch' }],
  });
  let streamed = '';
  stream.on('response.output_text.delta', ({ delta }) => {
    streamed += delta;
  });
  const { output, output_text, status, usage } = await stream.finalResponse();
  expect([streamed, output_text, status, usage?.total_tokens]).toEqual([
    'Two calls.',
    'Two calls.',
    'completed',
    15,
  ]);
  expect(output).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'I ponder this.' }] },
    { type: 'message' },
    { type: 'function_call', name: 'run', arguments: '{"command":"ls"}' },
    { type: 'custom_tool_call', name: 'patch', input: '*** Begin' },
  ]);
});

it('says errors and the end of the room of Responses', async () => {
  const server = await serve({ status: 429, error: 'slowly' }, { text: 'half', finish: 'length' });
  const ask = () => openai(server).responses.stream({ model: 'm', input: 'hello' }).finalResponse();
  await expect(ask()).rejects.toThrow('slowly');
  expect(await ask()).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  });
});

it('speaks Gemini: chunks with thoughts, text and calls, and one body for a client that does not stream', async () => {
  const calls = [{ name: 'run', input: { command: 'ls' } }];
  const server = await serve(
    { thinking: 'Hm.', text: 'Yes.', calls },
    { text: '{"a":1}' },
    { status: 400, error: 'no' },
  );
  const ask = (method: string) =>
    fetch(`${new URL(server.baseUrl).origin}/v1beta/models/gemini-pro:${method}`, {
      method: 'POST',
      body: '{}',
    });
  const chunks = (await (await ask('streamGenerateContent?alt=sse')).text())
    .split('\n\n')
    .filter((chunk) => chunk !== '')
    .map((chunk) => JSON.parse(chunk.slice('data: '.length)));
  expect(chunks).toMatchObject([
    { candidates: [{ content: { parts: [{ text: 'Hm.', thought: true }] } }] },
    { candidates: [{ content: { parts: [{ text: 'Yes.' }] } }] },
    {
      modelVersion: 'gemini-pro',
      candidates: [
        {
          content: { parts: [{ functionCall: { name: 'run', args: { command: 'ls' } } }] },
          finishReason: 'STOP',
        },
      ],
    },
  ]);
  expect(await (await ask('generateContent')).json()).toMatchObject({
    candidates: [{ content: { parts: [{ text: '{"a":1}' }] } }],
  });
  expect(await (await ask('generateContent')).json()).toMatchObject({ error: { code: 400, message: 'no' } });
});
