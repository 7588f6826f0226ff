import { onTestEnd, temporaryDirectory } from '@plugboard/testkit';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { worker } from '../harness.ts';
import { startDesk } from './client.ts';

const agents = (at: string) => [worker('one', 'agentproc', at)];
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const body = (content: string) => ({ model: 'one', messages: [{ role: 'user' as const, content }] });

describe('an Idempotency-Key', () => {
  it('gives the first answer again', async () => {
    const desk = await startDesk({ agents });
    const { completions } = desk.client.chat;
    const first = await completions.create(body('pid'), keyed('k1'));
    expect(await completions.create(body('pid'), keyed('k1'))).toEqual(first);
    const other = await completions.create(body('pid'), keyed('k2'));
    expect(other.choices[0]?.message.content).not.toBe(first.choices[0]?.message.content);
    expect(desk.gateway.engine.counts.begun).toBe(2);
  });

  it('asks once, however often it is sent at the same time', async () => {
    const desk = await startDesk({ agents });
    const asked = Array.from({ length: 5 }, () =>
      desk.client.chat.completions.create(body('pid'), keyed('k')),
    );
    const answers = await Promise.all(asked);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(desk.gateway.engine.counts.begun).toBe(1);
  });

  it('is refused for another request', async () => {
    const desk = await startDesk({ agents }, 2);
    await desk.client.chat.completions.create(body('a'), keyed('k'));
    const again = desk.client.chat.completions.create(body('b'), keyed('k'));
    await expect(again).rejects.toThrow(OpenAI.ConflictError);
    const elsewhere = desk.client.responses.create({ model: 'one', input: 'a' }, keyed('k'));
    await expect(elsewhere).rejects.toMatchObject({ status: 409, code: 'idempotency_key_reused' });
  });

  it('belongs to its token', async () => {
    const desk = await startDesk({ agents });
    await desk.client.chat.completions.create(body('a'), keyed('k'));
    const other = await desk.clientWith(['chat']);
    const { choices } = await other.chat.completions.create(body('b'), keyed('k'));
    expect(choices[0]?.message.content).toBe('b');
  });

  it('lets a client that lost its connection come back for the answer', async () => {
    const desk = await startDesk({ agents });
    const abort = new AbortController();
    const first = desk.client.responses.create(
      { model: 'one', input: 'wait 1000' },
      { ...keyed('k'), signal: abort.signal },
    );
    await expect.poll(() => desk.gateway.engine.running.size).toBe(1);
    abort.abort();
    await expect(first).rejects.toThrow(OpenAI.APIUserAbortError);
    const again = await desk.client.responses.create({ model: 'one', input: 'wait 1000' }, keyed('k'));
    expect(again.output_text).toBe('done');
    expect(desk.gateway.engine.counts.begun).toBe(1);
  });

  it('is known after a restart', async () => {
    const directory = temporaryDirectory();
    onTestEnd(() => directory[Symbol.dispose]());
    const desk = await startDesk({ agents, directory: directory.path });
    const first = await desk.client.chat.completions.create(body('pid'), keyed('k'));
    await desk.door.close(0);
    await desk.gateway.stop();
    await desk.store.close();
    const later = await startDesk({ agents, directory: directory.path });
    const client = later.client.withOptions({ apiKey: desk.token });
    expect(await client.chat.completions.create(body('pid'), keyed('k'))).toEqual(first);
    expect(later.gateway.engine.counts.begun).toBe(0);
  });

  it('works within a session that the client names', async () => {
    const desk = await startDesk({ agents });
    const headers = { 'Idempotency-Key': 'k', 'X-Plugboard-Session': 'kitchen' };
    await desk.chat('one', 'remember s1', { 'X-Plugboard-Session': 'kitchen' });
    expect(await desk.chat('one', 'recall', headers)).toBe('s1');
    await desk.chat('one', 'more', { 'X-Plugboard-Session': 'kitchen' });
    expect(await desk.chat('one', 'recall', headers)).toBe('s1');
    expect(desk.gateway.engine.counts.begun).toBe(3);
  });
});
