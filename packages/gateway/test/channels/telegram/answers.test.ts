import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { calling, openTelegram, refusal } from './telegram-bench.ts';

describe('an answer of Telegram to a message', () => {
  it('with 429 and without JSON means that it may be sent later', async () => {
    const { platform, send } = await openTelegram();
    const trouble = { status: 429, headers: { 'retry-after': '7' }, body: '<html>Too many</html>' };
    platform.server.trouble(trouble, calling('sendMessage'));
    await expect(send({ text: 'hello' })).rejects.toMatchObject({ problem: 'later', afterMs: 7_000 });
  });

  it('with 429 and an empty body means that it may be sent later', async () => {
    const { platform, send } = await openTelegram();
    platform.server.trouble({ status: 429 }, calling('sendMessage'));
    await expect(send({ text: 'hello' })).rejects.toMatchObject({ problem: 'later', afterMs: undefined });
  });

  it.each([400, 401, 403, 502])('with %i and without JSON proves nothing about it', async (status) => {
    const { platform, send } = await openTelegram();
    platform.server.trouble({ status, body: '<html>' }, calling('sendMessage'));
    await expect(send({ text: 'hello' })).rejects.toMatchObject({
      ...{ problem: 'unknown', stopsChannel: false },
      message: `The Bot API answered ${status} without JSON.`,
    });
  });

  it.each([99_999_999, 1e300])('that demands a wait of %i s is given one of an hour', async (secs) => {
    const { platform, send } = await openTelegram();
    platform.server.trouble(refusal(429, 'Too Many Requests', { retry_after: secs }), calling('sendMessage'));
    await expect(send({ text: 'hello' })).rejects.toMatchObject({ problem: 'later', afterMs: 3_600_000 });
  });
});

describe('an answer of Telegram that names no message', () => {
  it.each([
    [{ ok: true }, 'The Bot API answered without a result.'],
    [{ ok: true, result: null }, 'The Bot API answered without a result.'],
    [{ ok: true, result: {} }, 'The answer of Telegram names no message.'],
    [{ ok: false }, 'Telegram says: It did not say why.'],
  ])('%j leaves it unknown, with a sentence for the operator', async (body, message) => {
    const { platform, send } = await openTelegram();
    platform.server.trouble({ status: 200, body }, calling('sendMessage'));
    await expect(send({ text: 'hello' })).rejects.toMatchObject({ problem: 'unknown', message });
  });
});

describe('a wait of years that Telegram demands for updates', () => {
  it('is one of an hour, and the log says so', async () => {
    const waits: number[] = [];
    const clock: Clock = {
      ...systemClock,
      after(ms, run) {
        waits.push(ms);
        return systemClock.after(ms === 3_600_000 ? 1 : ms, run);
      },
    };
    const { log } = await openTelegram({
      clock,
      prepare: ({ server }) =>
        server.trouble(refusal(429, 'Too Many Requests', { retry_after: 99_999_999 }), calling('getUpdates')),
    });
    await until(() => log.codes.includes('telegram-poll-failed'), 'the log');
    await until(() => waits.includes(3_600_000), 'the wait');
    expect(log.written.some((line) => line.includes('"retryAfterMs":3600000'))).toBe(true);
  });
});
