import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import { generateText, type ModelMessage, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { worker } from '../harness.ts';
import { type Desk, gather, speaker, startDesk } from './client.ts';

function providerOf({ door, token }: Desk): OpenAIProvider {
  return createOpenAI({ baseURL: `${door.url}/v1`, apiKey: token });
}

const user = (content: string): ModelMessage => ({ role: 'user', content });

describe('@ai-sdk/openai', () => {
  it.each(['responses', 'chat'] as const)('talks two turns over %s, and the session goes on', async (api) => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'agentproc', at)] });
    const model = providerOf(desk)[api]('one');
    const said = [user('remember s1')];
    const first = await generateText({ model, messages: said, maxRetries: 0 });
    const messages = [...said, ...first.response.messages, user('recall')];
    const second = await generateText({ model, messages, maxRetries: 0 });
    expect(second.text).toBe('s1');
    expect(await desk.store.sessions.list({ limit: 2 })).toHaveLength(1);
  });

  it.each(['responses', 'chat'] as const)('streams two turns over %s', async (api) => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'agentproc/v4', at)] });
    const model = providerOf(desk)[api]('one');
    const said = [user('think')];
    const first = streamText({ model, messages: said, maxRetries: 0 });
    expect((await gather(first.textStream)).join('')).toBe('so be it');
    const { messages: answered } = await first.response;
    const messages = [...said, ...answered, user('twice')];
    const second = streamText({ model, messages, maxRetries: 0 });
    expect((await gather(second.textStream)).join('')).toBe('one\n\ntwo');
    expect(await desk.store.sessions.list({ limit: 2 })).toHaveLength(1);
  });

  it('sends options of its provider that agents do not have', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'agentproc/v4', at)] });
    const { text } = await generateText({
      model: providerOf(desk)('one'),
      messages: [{ role: 'system', content: 'Be kind.' }, user('count')],
      allowSystemInMessages: true,
      temperature: 0.1,
      providerOptions: { openai: { store: true, user: 'ada', promptCacheKey: 'k' } },
      maxRetries: 0,
    });
    expect(text).toBe('Be kind.\n\ncount');
  });
});
