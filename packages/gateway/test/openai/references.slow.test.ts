import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { worker } from '../harness.ts';
import { type Desk, gather, speaker, startDesk } from './client.ts';

const user = (content: string): ResponseInputItem => ({ role: 'user', content });
const refer = ({ id }: { readonly id?: string | null }): ResponseInputItem => ({
  type: 'item_reference',
  id: id ?? '',
});

async function answer({ client }: Desk, input: ResponseInputItem[], model = 'one'): Promise<string> {
  return (await client.responses.create({ model, input })).output_text;
}

describe.concurrent('an item_reference', () => {
  it('stands for the answer that was given under its id', async () => {
    const desk = await startDesk({
      agents: (at) => [worker('one', 'agentproc', at), speaker('two', 'agentproc/v4', at)],
    });
    const first = await desk.client.responses.create({ model: 'one', input: [user('remember s1')] });
    const input = [user('remember s1'), ...first.output.map(refer), user('recall')];
    expect(await answer(desk, input)).toBe('s1');
    expect(await answer(desk, input, 'two')).toBe(
      `The conversation so far:\n\nUser: remember s1\n\nAssistant: ${first.output_text}\n\nNow answer this:\n\nrecall`,
    );
  });

  it('may leave out its type', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'agentproc', at)] });
    const first = await desk.client.responses.create({ model: 'one', input: [user('remember s1')] });
    const { id = '' } = first.output[0] ?? {};
    for (const bare of [{ id }, { id, type: null }]) {
      expect(await answer(desk, [user('remember s1'), bare as ResponseInputItem, user('again')])).toContain(
        'again',
      );
    }
  });

  it('to thinking is passed over, and several to one answer are that answer once', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'agentproc/v4', at)] });
    const stream = desk.client.responses.stream({ model: 'one', input: [user('think')] });
    await gather(stream);
    const { output } = await stream.finalResponse();
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    const references = [...output, ...output].map(refer);
    const input = [user('Think!'), ...references, refer({ id: 'rs_elsewhere' }), user('and now')];
    expect(await answer(desk, input)).toBe(
      'The conversation so far:\n\nUser: Think!\n\nAssistant: so be it\n\nNow answer this:\n\nand now',
    );
  });

  it('to an answer of another token, or to none, is not found', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'agentproc', at)] });
    const first = await desk.client.responses.create({ model: 'one', input: 'remember s1' });
    const other = await desk.clientWith(['chat']);
    const missing = { status: 404, code: 'item_not_found', param: 'input[1].id' };
    for (const id of ['msg_none_0', 'msg_1', 'fc_1', 'x', `${first.output[0]?.id}x`]) {
      const input = [user('remember s1'), refer({ id }), user('recall')];
      await expect(desk.client.responses.create({ model: 'one', input })).rejects.toMatchObject(missing);
    }
    const input = [user('remember s1'), ...first.output.map(refer), user('recall')];
    await expect(other.responses.create({ model: 'one', input })).rejects.toMatchObject(missing);
    expect(await desk.store.sessions.list({ limit: 5 })).toHaveLength(1);
  });

  it('of the wrong type is told so', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'agentproc', at)] });
    const input = [user('hi'), { type: 'item_reference', id: 7 }];
    await expect(desk.client.responses.create({ model: 'one', input: input as never })).rejects.toMatchObject(
      { status: 400, code: 'invalid_type', param: 'input[1].id' },
    );
  });

  it('cannot name more than a body may hold', async () => {
    const desk = await startDesk({
      agents: (at) => [speaker('one', 'agentproc/v4', at)],
      server: { bodyBytes: 4_096 },
    });
    const text = 'x'.repeat(3_000);
    const answers = [];
    for (const end of ['1', '2']) {
      answers.push(await desk.client.responses.create({ model: 'one', input: text + end }));
    }
    const references = answers.flatMap(({ output }) => output.map(refer));
    const create = (count: number) =>
      desk.client.responses.create({ model: 'one', input: [...references.slice(0, count), user('hi')] });
    await expect(create(2)).rejects.toMatchObject({ status: 413, param: 'input' });
    expect((await create(1)).output_text).toContain(text);
  });
});
