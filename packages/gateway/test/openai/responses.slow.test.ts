import OpenAI from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { worker } from '../harness.ts';
import { gather, speaker, startDesk } from './client.ts';

describe.concurrent('responses', () => {
  it('answer a text', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'agentproc/v4', at)] });
    const response = await desk.client.responses.create({
      model: 'one',
      input: 'count',
      metadata: { purpose: 'test' },
      reasoning: { effort: 'low' },
      text: { format: { type: 'text' }, verbosity: 'low' },
      store: false,
    });
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response',
      status: 'completed',
      model: 'one',
      error: null,
      output_text: 'counted',
      metadata: { purpose: 'test' },
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'counted' }],
        },
      ],
      usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
    });
  });

  it('answer items and instructions, and take their own output back', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'agentproc', at)] });
    const input: ResponseInputItem[] = [
      { role: 'user', content: [{ type: 'input_text', text: 'remember s1' }] },
    ];
    const first = await desk.client.responses.create({ model: 'one', input });
    const more: ResponseInputItem[] = [...input, ...(first.output as ResponseInputItem[])];
    const second = await desk.client.responses.create({
      model: 'one',
      input: [...more, { role: 'user', content: 'recall' }],
    });
    expect(second.output_text).toBe('s1');
    const third = await desk.client.responses.create({
      model: 'one',
      input: 'Hello',
      instructions: 'Be kind.',
    });
    expect(third.output_text).toBe('Be kind.\n\nHello');
  });

  it('go on from an earlier one', async () => {
    const desk = await startDesk({
      agents: (at) => [worker('one', 'agentproc', at), worker('two', 'agentproc', at)],
    });
    const { responses } = desk.client;
    const { id } = await responses.create({ model: 'one', input: 'remember s1' });
    const next = await responses.create({ model: 'one', input: 'recall', previous_response_id: id });
    expect(next).toMatchObject({ output_text: 's1', previous_response_id: id });
    const missing = { status: 400, code: 'previous_response_not_found', param: 'previous_response_id' };
    for (const previous_response_id of ['resp_none', 'x']) {
      const lost = responses.create({ model: 'one', input: 'recall', previous_response_id });
      await expect(lost).rejects.toMatchObject(missing);
    }
    const other = await desk.clientWith(['chat']);
    const foreign = other.responses.create({ model: 'one', input: 'recall', previous_response_id: id });
    await expect(foreign).rejects.toMatchObject(missing);
    const changed = responses.create({ model: 'two', input: 'recall', previous_response_id: id });
    await expect(changed).rejects.toMatchObject({ status: 400, param: 'model' });
  });

  it('stream every step in order', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'agentproc/v4', at)] });
    const stream = desk.client.responses.stream({ model: 'one', input: 'think' });
    const events = await gather(stream);
    const item = (kind: string, deltas: number) => [
      'response.output_item.added',
      'response.content_part.added',
      ...Array(deltas).fill(`response.${kind}.delta`),
      `response.${kind}.done`,
      'response.content_part.done',
      'response.output_item.done',
    ];
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      ...item('reasoning_text', 2),
      ...item('output_text', 2),
      'response.completed',
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, at) => at));
    const final = await stream.finalResponse();
    expect(final).toMatchObject({ status: 'completed', output_text: 'so be it' });
    expect(final.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    const whole = await desk.client.responses.retrieve(final.id);
    expect(whole.output_text).toBe('so be it');
    expect(whole.output).toEqual(
      final.output.map(({ ...one }) => expect.objectContaining({ id: one.id, type: one.type })),
    );
  });

  it('that fail while they stream say so', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] });
    const stream = desk.client.responses.stream({ model: 'one', input: 'fail' });
    const types = (await gather(stream)).map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(types.at(-1)).toBe('response.failed');
    const final = await stream.finalResponse();
    expect(final).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: expect.stringContaining('It broke.') },
    });
    expect(await desk.client.responses.retrieve(final.id)).toMatchObject({
      status: 'failed',
      error: final.error,
    });
  });

  it('can be had again, by those who asked', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'nuum', at)] });
    const response = await desk.client.responses.create({ model: 'one', input: 'twice' });
    const again = await desk.client.responses.retrieve(response.id);
    const { _request_id: _id, ...first } = response;
    expect(again).toEqual(first);
    const other = await desk.clientWith(['chat']);
    await expect(other.responses.retrieve(response.id)).rejects.toThrow(OpenAI.NotFoundError);
    await expect(desk.client.responses.retrieve('resp_none')).rejects.toMatchObject({
      code: 'response_not_found',
    });
    const session = await desk.begin('one');
    const stored = await desk.store.sessions.get(session.id);
    if (stored === undefined) throw new Error('no session');
    await desk.ask(stored, 'not by this API');
    const [turn] = await desk.store.turns.list(stored.id, { limit: 1 });
    await expect(desk.client.responses.retrieve(`resp_${turn?.id}`)).rejects.toThrow(OpenAI.NotFoundError);
  });

  it('that are under way can be looked at', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] });
    const stream = await desk.client.responses.create({ model: 'one', input: 'wait 20000', stream: true });
    for await (const event of stream) {
      if (event.type !== 'response.created') continue;
      const { status } = await desk.client.responses.retrieve(event.response.id);
      expect(status).toBe('in_progress');
      break;
    }
  });

  it.each([
    [{ input: 'hi', background: true }, 'background'],
    [{ input: 'hi', conversation: 'c' }, 'conversation'],
    [{ input: 'hi', tools: [{ type: 'web_search' }] }, 'tools'],
    [{ input: 'hi', text: { format: { type: 'json_object' } } }, 'text.format.type'],
    [{ input: [{ type: 'function_call_output', call_id: 'c', output: '1' }] }, 'input[0].type'],
    [{ input: [{ type: 'reasoning', role: 'user', content: {} }] }, 'input'],
    [{ input: [null] }, 'input[0]'],
    [{ input: 7 }, 'input'],
    [{}, 'input'],
  ])('refuse %j', async (more, param) => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] });
    const error = await desk.client.responses
      .create({ model: 'one', ...more } as never)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ param });
  });
});
