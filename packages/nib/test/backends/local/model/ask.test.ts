import { startModelServer } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { type AskOptions, createAsk } from '../../../../src/backends/local/model/ask.ts';
import { resolveSettings } from '../../../../src/backends/local/settings.ts';

async function asking(replies: Parameters<typeof startModelServer>[0], options: Partial<AskOptions> = {}) {
  const server = await startModelServer(replies);
  const ask = createAsk(resolveSettings({ NIB_LOCAL_ENDPOINT: server.baseUrl }, {}), {
    fetch: globalThis.fetch,
    now: Date.now,
    ...options,
  });
  const question = { system: 'S', said: [{ role: 'user', text: 'hi' } as const], tools: [], temperature: 1 };
  return {
    server,
    ask: (signal = new AbortController().signal) => ask({ ...question, signal }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

it('a server that falls silent in an answer is given up', async () => {
  await using at = await asking([{ text: 'one two', hang: true }], { silenceMs: 100 });
  await expect(at.ask()).rejects.toMatchObject({
    code: 'silent',
    message: expect.stringContaining('said nothing for 0.1 s'),
  });
  expect(at.server.requests).toHaveLength(1);
});

it('a retry waits as long as the server asks for, at most longestWaitMs', async () => {
  const patience = { attempts: 3, firstWaitMs: 60_000, longestWaitMs: 1_000 };
  const replies = [{ status: 429, headers: { 'retry-after': '0' } }, { text: 'ok' }];
  await using soon = await asking(replies, { patience });
  expect((await soon.ask()).text).toBe('ok');
  await using late = await asking([{ status: 429, headers: { 'retry-after': '3600' } }], { patience });
  await expect(late.ask()).rejects.toMatchObject({ code: 'rate-limited' });
  expect(late.server.requests).toHaveLength(1);
});

it('an abort ends the wait for a retry at once', async () => {
  await using at = await asking([{ text: 'one two', hang: true }]);
  const controller = new AbortController();
  const asked = at.ask(controller.signal);
  setTimeout(() => controller.abort(new Error('enough')), 50);
  await expect(asked).rejects.toThrow('enough');
});
