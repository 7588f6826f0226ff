import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  ClientError,
  type Connection,
  createNetworkError,
  type Ending,
  followLog,
  type LogStep,
  type StreamOptions,
} from '../src/index.ts';
import { createFakeClock } from './fake-clock.ts';
import { createFakeStreams, eventMessage, statusMessage } from './fake-gateway.ts';

/** Follows in the background and writes down what comes. */
function follow(after = 0, options: StreamOptions = {}) {
  const streams = createFakeStreams();
  const clock = createFakeClock();
  const stopping = new AbortController();
  const steps: (number | string)[] = [];
  const ended = (async () => {
    const all = followLog(streams.open, after, { clock, signal: stopping.signal, ...options });
    for await (const step of all) steps.push(nameOf(step));
  })();
  ended.catch(() => {});
  return { streams, clock, steps, ended, stop: () => stopping.abort() };
}

function nameOf(step: LogStep): number | string {
  if (step.type === 'event') return step.view.number;
  return step.type === 'resync' ? `resync ${step.last}` : `status ${step.session.lastEvent}`;
}

it('followLog goes on after the last event when its stream is cut', async () => {
  const { streams, clock, steps, stop, ended } = follow(2);
  await expect.poll(() => streams.connections.map(({ after }) => after)).toEqual([2]);
  streams.connections[0]?.send(statusMessage(4), eventMessage(3), eventMessage(4));
  await expect.poll(() => steps).toEqual(['status 4', 3, 4]);
  streams.connections[0]?.cut();
  await expect.poll(clock.afterTick(() => streams.connections.map(({ after }) => after))).toEqual([2, 4]);
  streams.connections[1]?.send(statusMessage(5), eventMessage(4), eventMessage(5));
  await expect.poll(() => steps).toEqual(['status 4', 3, 4, 'status 5', 5]);
  stop();
  await ended;
  expect(streams.connections[1]?.signal.aborted).toBe(true);
});

it('followLog asks again for events that a connection has skipped', async () => {
  const { streams, steps, stop, ended } = follow();
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.connections[0]?.send(eventMessage(1), eventMessage(3), eventMessage(4));
  await expect.poll(() => streams.connections.map(({ after }) => after)).toEqual([0, 1]);
  streams.connections[1]?.send(eventMessage(2), eventMessage(3), eventMessage(4));
  await expect.poll(() => steps).toEqual([1, 2, 3, 4]);
  stop();
  await ended;
});

it('followLog takes a gap for what the log holds when the next connection has it, too', async () => {
  const { streams, steps, stop, ended } = follow();
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.connections[0]?.send(eventMessage(1), eventMessage(9));
  await expect.poll(() => streams.connections).toHaveLength(2);
  streams.connections[1]?.send(eventMessage(9), eventMessage(10));
  await expect.poll(() => steps).toEqual([1, 9, 10]);
  stop();
  await ended;
});

it('followLog goes back to the number of a resync', async () => {
  const { streams, steps, clock, stop, ended } = follow(900);
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.connections[0]?.send('event: resync\ndata: {"last":7}\n\n', eventMessage(8));
  await expect.poll(() => steps).toEqual(['resync 7', 8]);
  streams.connections[0]?.end();
  await expect.poll(clock.afterTick(() => streams.connections.map(({ after }) => after))).toEqual([900, 8]);
  stop();
  await ended;
});

it('followLog gives every event once, however connections are cut, skip and repeat', async () => {
  const connection = fc.record({
    /** How far before the number that was asked for it begins. */
    back: fc.nat(3),
    events: fc.array(fc.boolean(), { maxLength: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(connection, { maxLength: 6 }), async (plan) => {
      const total = 20;
      const rest = [...plan];
      const numbers: number[] = [];
      const open = async (after: number): Promise<Response> => {
        const { back, events } = rest.shift() ?? { back: 0, events: [] };
        const last = rest.length === 0 && events.length === 0;
        const from = Math.max(0, after - back);
        // The first event joins up with the log, as the gateway promises; later ones may be lost on the way.
        const kept = last
          ? Array.from({ length: total - from }, (_, at) => from + 1 + at)
          : events
              .flatMap((lost, at) => (lost && from + at > after ? [] : [from + 1 + at]))
              .filter((one) => one <= total);
        return new Response(kept.map(eventMessage).join(''));
      };
      const clock = { now: () => 0, sleep: async () => {} };
      for await (const step of followLog(open, 0, { clock, silenceMs: Number.POSITIVE_INFINITY })) {
        if (step.type === 'event') numbers.push(step.view.number);
        if (numbers.at(-1) === total) break;
      }
      expect(numbers).toEqual(Array.from({ length: total }, (_, at) => at + 1));
    }),
    { numRuns: 60 },
  );
});

it('followLog waits longer and longer while nobody answers, and begins anew after a connection that held', async () => {
  const endings: Ending[] = [];
  const { streams, clock, stop, ended } = follow(0, { pause: async (ending) => void endings.push(ending) });
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.fail(createNetworkError(), createNetworkError(), createNetworkError());
  streams.connections[0]?.end();
  await expect.poll(() => streams.connections).toHaveLength(2);
  expect(endings.map(({ reason }) => reason)).toEqual(['cut', 'failed', 'failed', 'failed']);
  for (const [at, { waitMs }] of endings.entries()) {
    expect(waitMs).toBeGreaterThanOrEqual(150 * 2 ** at);
    expect(waitMs).toBeLessThanOrEqual(300 * 2 ** at);
  }
  clock.pass(6_000);
  streams.connections[1]?.end();
  await expect.poll(() => endings).toHaveLength(5);
  expect(endings[4]?.waitMs).toBeLessThanOrEqual(300);
  stop();
  await ended;
});

it('followLog waits at least as long as the retry field of the stream says', async () => {
  const endings: Ending[] = [];
  const { streams, stop, ended } = follow(0, { pause: async (ending) => void endings.push(ending) });
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.connections[0]?.send('retry: 9000\n\n');
  streams.connections[0]?.end();
  await expect.poll(() => endings[0]?.waitMs).toBe(9_000);
  stop();
  await ended;
});

it('followLog gives up a connection that has said nothing for 45 seconds, comments included', async () => {
  const { streams, clock, steps, stop, ended } = follow();
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.connections[0]?.send(': \n\n', eventMessage(1));
  await expect.poll(() => steps).toEqual([1]);
  for (let seconds = 5; seconds < 45; seconds += 5) await clock.tick();
  streams.connections[0]?.send(': \n\n');
  await new Promise((resolve) => setImmediate(resolve));
  for (let seconds = 0; seconds < 40; seconds += 5) await clock.tick();
  expect(streams.connections).toHaveLength(1);
  await expect.poll(clock.afterTick(() => streams.connections.map(({ after }) => after))).toEqual([0, 1]);
  expect(streams.connections[0]?.signal.aborted).toBe(true);
  stop();
  await ended;
});

it('followLog does not take its slow consumer for a silent stream', async () => {
  const streams = createFakeStreams();
  const clock = createFakeClock();
  const all = followLog(streams.open, 0, { clock });
  const first = all.next();
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.connections[0]?.send(eventMessage(1));
  await first;
  for (let seconds = 0; seconds < 120; seconds += 5) await clock.tick();
  streams.connections[0]?.send(eventMessage(2));
  expect(await all.next()).toMatchObject({ value: { view: { number: 2 } } });
  expect(streams.connections).toHaveLength(1);
  await all.return(undefined);
  expect(streams.connections[0]?.signal.aborted).toBe(true);
});

it('followLog throws the refusal that no other try can change', async () => {
  const { streams, ended, clock } = follow();
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.fail(new ClientError('not-found', 'There is no such session.', { status: 404 }));
  streams.connections[0]?.end();
  const failed = ended.catch((error) => error);
  await expect
    .poll(clock.afterTick(() => Promise.race([failed, undefined])))
    .toMatchObject({ code: 'not-found' });
});

it('followLog throws for an event that is no JSON', async () => {
  const { streams, ended } = follow();
  await expect.poll(() => streams.connections).toHaveLength(1);
  streams.connections[0]?.send('event: event\ndata: <html>\n\n');
  await expect(ended).rejects.toMatchObject({ code: 'unexpected' });
  expect(streams.connections[0]?.signal.aborted).toBe(true);
});

it('followLog goes on at once after its reader has released the connection', async () => {
  let current: Connection | undefined;
  const { streams, clock, stop, ended } = follow(0, {
    onConnection: (made) => {
      current = made;
    },
  });
  await expect.poll(() => streams.connections).toHaveLength(1);
  current?.close('released');
  await expect.poll(() => streams.connections).toHaveLength(2);
  expect(clock.slept.filter((ms) => ms > 0)).toEqual([]);
  stop();
  await ended;
});
