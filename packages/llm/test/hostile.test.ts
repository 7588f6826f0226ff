import { describe, expect, it } from 'vitest';
import type { Said } from '../src/index.ts';
import { PROVIDERS, startAsking } from './asking.ts';

const GO: Said = { role: 'user', text: 'go' };
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe.each(PROVIDERS)('an answer of %s', (provider) => {
  it(`${provider}: each call gets an id of its own, also when the model sends the same id twice or none`, async () => {
    const calls = ['a', 'b', 'c'].map((to) => ({ id: 'same', name: 'fly', input: { to } }));
    await using asking = await startAsking(provider, [
      { calls: [...calls, { id: '', name: 'fly', input: { to: 'd' } }] },
    ]);
    const { calls: heard, kept } = await asking.ask({ said: [GO] });
    expect(new Set(heard.map(({ id }) => id)).size).toBe(4);
    expect(heard.every(({ id }) => id !== '')).toBe(true);
    for (const { id } of heard) expect(JSON.stringify(kept)).toContain(`"${id}"`);
  });

  it(`${provider}: a call with the id of an earlier call gets a new id`, async () => {
    await using asking = await startAsking(provider, [{ calls: [{ id: 'c1', name: 'fly', input: {} }] }]);
    const { calls } = await asking.ask({
      said: [
        GO,
        { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'fly', input: {} }] },
        { role: 'results', results: [{ id: 'c1', name: 'fly', content: 'no', isError: true }] },
      ],
    });
    expect(calls[0]?.id).not.toBe('c1');
  });

  it.each([
    ['', /^unnamed$/],
    ['fly\u0007 to\n/etc', /^fly__to__etc$/],
    ['x'.repeat(300), /^x{64}$/],
  ])(`${provider}: a call is sent back with a tool name that providers accept: %j`, async (name, taken) => {
    await using asking = await startAsking(provider, [{ text: 'ok' }, { text: 'ok' }]);
    await asking.ask({
      said: [
        GO,
        { role: 'assistant', text: '', calls: [{ id: 'c1', name, input: {} }] },
        { role: 'results', results: [{ id: 'c1', name, content: 'There is none.', isError: true }] },
      ],
    });
    const names = [...JSON.stringify(asking.server.requests[0]?.body.messages).matchAll(/"name":("[^"]*")/g)];
    expect(names).toHaveLength(1);
    expect(JSON.parse(names[0]?.[1] ?? '""')).toMatch(taken);
  });

  it(`${provider}: a call with an invalid tool name is sent back under a valid one within the same turn`, async () => {
    await using asking = await startAsking(provider, [
      { calls: [{ name: 'no such\ttool', input: {} }] },
      { text: 'ok' },
    ]);
    const { calls, text, kept } = await asking.ask({ said: [GO] });
    expect(calls[0]?.name).toBe('no such\ttool');
    const results = calls.map(({ id, name }) => ({ id, name, content: 'There is none.', isError: true }));
    const answer: Said = { role: 'assistant', text, calls, ...(kept === undefined ? {} : { kept }) };
    await asking.ask({ said: [GO, answer, { role: 'results', results }] });
    const sent = JSON.stringify(asking.server.requests[1]?.body.messages);
    expect(sent).toContain('"no_such_tool"');
    expect(sent).not.toContain('\\t');
  });

  it(`${provider}: an input nested 500 levels deep is reported as a problem and replaced by an empty one`, async () => {
    await using asking = await startAsking(provider, [{ calls: [{ name: 'fly', input: nested(500) }] }]);
    const { calls, kept } = await asking.ask({ said: [GO] });
    expect(calls).toMatchObject([{ name: 'fly', input: {}, problem: expect.stringContaining('nested') }]);
    expect(JSON.stringify(kept)).not.toContain('"a"');
  });

  it(`${provider}: an answer that overflows the stack of the SDK is not asked for again`, async () => {
    await using asking = await startAsking(provider, [{ calls: [{ name: 'fly', input: nested(20_000) }] }]);
    await expect(asking.ask({ said: [GO] })).rejects.toMatchObject({ code: 'unusable' });
    expect(asking.server.requests).toHaveLength(1);
  });

  it.each([
    [
      'a line without an end',
      { raw: `data: ${'x'.repeat(20_000_000)}` },
      /has a line that is longer than 16 MiB/,
    ],
    ['too many characters', { text: 'x'.repeat(9_000_000) }, /has more than 8,000,000 characters/],
  ])(`${provider}: an answer with %s is given up and not asked for again`, async (_what, reply, words) => {
    await using asking = await startAsking(provider, [reply]);
    await expect(asking.ask({ said: [GO] })).rejects.toMatchObject({
      code: 'unusable',
      message: expect.stringMatching(words),
    });
    expect(asking.server.requests).toHaveLength(1);
  });

  it(`${provider}: every text of a request is sent well-formed`, async () => {
    await using asking = await startAsking(provider, [{ text: 'ok' }]);
    const half = '\ud83d';
    await asking.ask({
      said: [
        { role: 'user', text: `user ${half}.` },
        { role: 'assistant', text: `said ${half}.`, calls: [{ id: 'c', name: 'fly', input: { to: half } }] },
        { role: 'results', results: [{ id: 'c', name: 'fly', content: `result ${half}.`, isError: false }] },
      ],
      system: `system ${half}.`,
    });
    const sent = JSON.stringify(asking.server.requests[0]?.body);
    expect(sent).not.toMatch(/\\ud83d/);
    for (const word of ['user', 'said', 'result', 'system']) expect(sent).toContain(`${word} \ufffd.`);
  });
});
