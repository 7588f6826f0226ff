import { type ModelReply, type ModelServer, startModelServer } from '@plugboard/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { Said } from '../../src/model/ask.ts';
import { chooseModel } from '../../src/model/choose.ts';
import { createAsk } from '../../src/model/create.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const PROVIDERS = ['anthropic', 'openai'] as const;

/** Asks a server that gives these answers; what was said before is sent with each question. */
async function asking(provider: (typeof PROVIDERS)[number], replies: readonly ModelReply[]) {
  const server = await startModelServer(replies);
  servers.push(server);
  const chosen = chooseModel({ model: `${provider}:m-1`, baseUrl: server.baseUrl, apiKey: 'key-1' });
  const ask = createAsk(chosen, { now: () => 0 })('turn');
  const { signal } = new AbortController();
  const question = (said: readonly Said[], system = 's') => ask({ system, said, tools: [], signal });
  return { server, question };
}

const GO: Said = { role: 'user', text: 'go' };
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe.each(PROVIDERS)('an answer of %s', (provider) => {
  it('whose calls have the same id, or none, has one for each', async () => {
    const calls = ['a', 'b', 'c'].map((to) => ({ id: 'same', name: 'fly', input: { to } }));
    const { question } = await asking(provider, [
      { calls: [...calls, { id: '', name: 'fly', input: { to: 'd' } }] },
    ]);
    const { calls: heard, kept } = await question([GO]);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(4);
    expect(heard.every(({ id }) => id !== '')).toBe(true);
    for (const { id } of heard) expect(JSON.stringify(kept)).toContain(`"${id}"`);
  });

  it('whose calls have ids of earlier calls has others', async () => {
    const { question } = await asking(provider, [{ calls: [{ id: 'c1', name: 'fly', input: {} }] }]);
    const { calls } = await question([
      GO,
      { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'fly', input: {} }] },
      { role: 'results', results: [{ id: 'c1', name: 'fly', content: 'no', isError: true }] },
    ]);
    expect(calls[0]?.id).not.toBe('c1');
  });

  it.each([
    ['', /^unnamed$/],
    ['fly\u0007 to\n/etc', /^fly__to__etc$/],
    ['x'.repeat(300), /^x{64}$/],
  ])('that calls a tool %j is sent back with a name that providers take', async (name, taken) => {
    const { question, server } = await asking(provider, [{ text: 'ok' }, { text: 'ok' }]);
    await question([
      GO,
      { role: 'assistant', text: '', calls: [{ id: 'c1', name, input: {} }] },
      { role: 'results', results: [{ id: 'c1', name, content: 'There is none.', isError: true }] },
    ]);
    const names = [...JSON.stringify(server.requests[0]?.body.messages).matchAll(/"name":("[^"]*")/g)];
    expect(names).toHaveLength(1);
    expect(JSON.parse(names[0]?.[1] ?? '""')).toMatch(taken);
  });

  it('that calls a tool by a name no provider takes goes on in the same turn', async () => {
    const { question, server } = await asking(provider, [
      { calls: [{ name: 'no such\ttool', input: {} }] },
      { text: 'ok' },
    ]);
    const { calls, text, kept } = await question([GO]);
    expect(calls[0]?.name).toBe('no such\ttool');
    const results = calls.map(({ id, name }) => ({ id, name, content: 'There is none.', isError: true }));
    const answer: Said = { role: 'assistant', text, calls, ...(kept === undefined ? {} : { kept }) };
    await question([GO, answer, { role: 'results', results }]);
    const sent = JSON.stringify(server.requests[1]?.body.messages);
    expect(sent).toContain('"no_such_tool"');
    expect(sent).not.toContain('\\t');
  });

  it('with an input nested without end is told so, and keeps nothing of it', async () => {
    const { question } = await asking(provider, [{ calls: [{ name: 'fly', input: nested(500) }] }]);
    const { calls, kept } = await question([GO]);
    expect(calls).toMatchObject([{ name: 'fly', input: {}, problem: expect.stringContaining('nested') }]);
    expect(JSON.stringify(kept)).not.toContain('"a"');
  });

  it('that not even the client can read is not asked for again', async () => {
    const { question, server } = await asking(provider, [
      { calls: [{ name: 'fly', input: nested(20_000) }] },
    ]);
    await expect(question([GO])).rejects.toMatchObject({ code: 'unusable' });
    expect(server.requests).toHaveLength(1);
  });

  it('that is no well-formed text goes back as one that is, as everything does', async () => {
    const { question, server } = await asking(provider, [{ text: 'ok' }]);
    const half = '\ud83d';
    await question(
      [
        { role: 'user', text: `user ${half}.` },
        { role: 'assistant', text: `said ${half}.`, calls: [{ id: 'c', name: 'fly', input: { to: half } }] },
        { role: 'results', results: [{ id: 'c', name: 'fly', content: `result ${half}.`, isError: false }] },
      ],
      `system ${half}.`,
    );
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).not.toMatch(/\\ud83d/);
    for (const word of ['user', 'said', 'result', 'system']) expect(sent).toContain(`${word} \ufffd.`);
  });
});
