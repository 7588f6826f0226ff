import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { shell, worker } from '../harness.ts';
import { gather, startDesk } from './client.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const ask = { model: 'one', messages };

describe('a request that cannot be done', () => {
  it.each([
    ['n', { ...ask, n: 2 }, 'n', 'invalid_value'],
    ['tools', { ...ask, tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools', 'invalid_value'],
    ['functions', { ...ask, functions: [{ name: 'f' }] }, 'functions', 'invalid_value'],
    ['logprobs', { ...ask, logprobs: true }, 'logprobs', 'invalid_value'],
    ['audio', { ...ask, modalities: ['text', 'audio'] }, 'modalities[1]', 'invalid_value'],
    ['JSON', { ...ask, response_format: { type: 'json_object' } }, 'response_format.type', 'invalid_value'],
    ['a wrong type', { ...ask, temperature: 'hot' }, 'temperature', 'invalid_type'],
    ['no messages', { model: 'one' }, 'messages', 'missing_required_parameter'],
    ['empty messages', { model: 'one', messages: [] }, 'messages', 'invalid_value'],
    ['too many messages', { ...ask, messages: Array(2_049).fill(messages[0]) }, 'messages', 'invalid_value'],
    ['messages of the wrong type', { ...ask, messages: 'hi' }, 'messages', 'invalid_type'],
    [
      'an unknown role',
      { ...ask, messages: [{ role: 'king', content: 'hi' }] },
      'messages[0].role',
      'invalid_value',
    ],
    [
      'a wrong content',
      { ...ask, messages: [{ role: 'user', content: 7 }] },
      'messages[0].content',
      'invalid_value',
    ],
    ['no user', { ...ask, messages: [{ role: 'system', content: 'hi' }] }, 'messages', 'invalid_value'],
    [
      'an answer to go on with',
      { ...ask, messages: [...messages, { role: 'assistant', content: 'I' }] },
      'messages',
      'invalid_value',
    ],
    [
      'a picture that is none',
      {
        ...ask,
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
        ],
      },
      'messages[0].content[0].image_url.url',
      'invalid_value',
    ],
    [
      'a file by its id',
      { ...ask, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
      'messages[0].content[0].file.file_data',
      'invalid_type',
    ],
    ['an unnamed session', { ...ask, metadata: { session: ' ' } }, 'metadata.session', 'invalid_value'],
  ])('is told what is wrong: %s', async (_what, body, param, code) => {
    const desk = await startDesk({ agents: (at) => [shell('one', 'echo 1', at)] });
    const error = await desk.client.chat.completions.create(body as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, param, code, type: 'invalid_request_error' });
    expect(await desk.store.sessions.list({ limit: 1 })).toEqual([]);
  });

  it('for a model that is not there, or not for this token, is not found', async () => {
    const desk = await startDesk({
      agents: (at) => [shell('one', 'echo 1', at), shell('two', 'echo 2', at)],
    });
    const limited = await desk.clientWith(['chat', 'agent:two']);
    const missing = { status: 404, code: 'model_not_found', param: 'model' };
    await expect(desk.client.chat.completions.create({ model: 'none', messages })).rejects.toMatchObject(
      missing,
    );
    await expect(limited.chat.completions.create(ask)).rejects.toThrow(OpenAI.NotFoundError);
    await expect(limited.models.retrieve('one')).rejects.toMatchObject(missing);
    await expect(limited.responses.create({ model: 'one', input: 'hi' })).rejects.toMatchObject(missing);
    expect(
      (await limited.chat.completions.create({ model: 'two', messages })).choices[0]?.message.content,
    ).toBe('2');
  });

  it('without a token, or without the right to talk, is turned away', async () => {
    const desk = await startDesk({ agents: (at) => [shell('one', 'echo 1', at)] });
    const stranger = new OpenAI({ baseURL: `${desk.door.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
    await expect(stranger.chat.completions.create(ask)).rejects.toThrow(OpenAI.AuthenticationError);
    const reader = await desk.clientWith(['metrics']);
    await expect(reader.chat.completions.create(ask)).rejects.toThrow(OpenAI.PermissionDeniedError);
  });

  it('because a file is too large is told so', async () => {
    const desk = await startDesk({
      agents: (at) => [shell('one', 'echo 1', at)],
      server: { mediaBytes: 10 },
    });
    const url = `data:image/png;base64,${Buffer.alloc(11).toString('base64')}`;
    const content = [{ type: 'image_url' as const, image_url: { url } }];
    await expect(
      desk.client.chat.completions.create({ model: 'one', messages: [{ role: 'user', content }] }),
    ).rejects.toMatchObject({ status: 413, code: 'file_too_large' });
  });
});

describe('an agent that fails', () => {
  it('is an error in its own words, which no client asks again', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] }, 2);
    const error = await desk.chat('one', 'fail').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({ status: 502, code: 'agent_error', type: 'server_error' });
    expect(String(error)).toContain('It broke.');
    const response = desk.client.responses.create({ model: 'one', input: 'fail' });
    await expect(response).rejects.toMatchObject({ status: 502, code: 'agent_error' });
    expect(desk.gateway.engine.counts.begun).toBe(2);
  });

  it('ends a stream with an error', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] });
    const stream = await desk.client.chat.completions.create({
      model: 'one',
      messages: [{ role: 'user', content: 'fail' }],
      stream: true,
    });
    const error = await gather(stream).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ code: 'agent_error' });
  });

  it('by taking too long says that', async () => {
    const desk = await startDesk({
      agents: (at) => [worker('one', 'terminal', at)],
      limits: { turnMs: 700 },
    });
    await expect(desk.chat('one', 'wait 20000')).rejects.toMatchObject({
      status: 502,
      code: 'agent_timeout',
    });
  });

  it('by being stopped from elsewhere says that, and so does what waited behind it', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] });
    const named = { 'X-Plugboard-Session': 'kitchen' };
    const asked = [desk.chat('one', 'wait 20000', named), desk.chat('one', 'wait 20000', named)];
    const waiting = async () => (await desk.store.sessions.list({ limit: 1 }))[0];
    await expect.poll(async () => (await waiting())?.waiting, { timeout: 5_000 }).toBe(1);
    await desk.call('POST', `/api/sessions/${(await waiting())?.id}/stop`, {});
    for (const one of await Promise.allSettled(asked)) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'agent_cancelled' } });
    }
  });
});
