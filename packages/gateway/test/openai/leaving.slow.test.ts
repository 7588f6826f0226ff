import { until } from '@plugboard/testkit';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { brief, worker } from '../harness.ts';
import { type Desk, startDesk } from './client.ts';

const agents = (at: string) => [worker('one', 'terminal', at)];
const wait = { model: 'one', messages: [{ role: 'user' as const, content: 'wait 20000' }] };

async function lastOf(desk: Desk): Promise<string> {
  const [session] = await desk.store.sessions.list({ limit: 1 });
  return session === undefined ? '' : (brief(await desk.log(session)).at(-1) ?? '');
}

const working = (desk: Desk) =>
  until(async () => (await lastOf(desk)) === 'progress: working', 'the agent to be at work');

describe.concurrent('a client that goes away', () => {
  it('in the middle of a stream ends the turn', async () => {
    const desk = await startDesk({ agents });
    const stream = await desk.client.chat.completions.create({ ...wait, stream: true });
    await working(desk);
    stream.controller.abort();
    await until(async () => (await lastOf(desk)).startsWith('end cancelled'), 'the end of the turn');
    expect(desk.gateway.feed.followers).toBe(0);
  });

  it('while it waits for the whole answer ends the turn', async () => {
    const desk = await startDesk({ agents });
    const abort = new AbortController();
    const asked = desk.client.responses.create(
      { model: 'one', input: 'wait 20000' },
      { signal: abort.signal },
    );
    await working(desk);
    abort.abort();
    await expect(asked).rejects.toThrow(OpenAI.APIUserAbortError);
    await until(async () => (await lastOf(desk)).startsWith('end cancelled'), 'the end of the turn');
    expect(desk.gateway.feed.followers).toBe(0);
  });

  it('while others wait in the same session ends nothing but its own turn', async () => {
    const desk = await startDesk({ agents });
    const headers = { 'X-Plugboard-Session': 'kitchen' };
    const first = desk.chat('one', 'wait 1500', headers);
    await working(desk);
    const abort = new AbortController();
    const second = desk.client.chat.completions.create(wait, { headers, signal: abort.signal });
    const waiting = async () => (await desk.store.sessions.list({ limit: 1 }))[0]?.waiting ?? 0;
    await until(async () => (await waiting()) === 1, 'the second to wait');
    const third = desk.chat('one', 'third', headers);
    await until(async () => (await waiting()) === 2, 'the third to wait');
    abort.abort();
    await expect(second).rejects.toThrow(OpenAI.APIUserAbortError);
    expect(await Promise.all([first, third])).toEqual(['done', 'third']);
  });

  it('before its turn has begun never has it begun', async () => {
    const desk = await startDesk({ agents, limits: { agents: 1 } });
    const first = desk.chat('one', 'wait 1500');
    await working(desk);
    const abort = new AbortController();
    const second = desk.client.chat.completions.create(wait, { signal: abort.signal });
    await until(() => desk.gateway.engine.line.length === 1, 'the second to wait');
    abort.abort();
    await expect(second).rejects.toThrow(OpenAI.APIUserAbortError);
    await until(() => desk.gateway.engine.line.length === 0, 'the second to be gone');
    expect(await first).toBe('done');
    expect(desk.gateway.engine.counts.begun).toBe(1);
    await until(() => desk.gateway.feed.followers === 0, 'nobody to follow');
  });
});
