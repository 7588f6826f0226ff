import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { settleUnknown } from '../../src/delivery/decide.ts';
import { type Bench, shell, startBench } from '../harness.ts';
import { createFakeChannel, type FakeCall } from './fake-channel.ts';

const REMARK = /may not have reached you/;

/** A gateway whose platform cuts the connection at the first answer, and cannot tell what became of it. */
async function startDoubtful(): Promise<{ bench: Bench; said: (place: string) => string[] }> {
  const channel = createFakeChannel({
    limits: { textLength: 400 },
    on: {
      send(_call: FakeCall, nth: number) {
        if (nth === 1) throw new Error('The connection was cut.');
      },
    },
    without: ['resolve', 'edit', 'typing'],
  });
  const bench = await startBench({
    channels: [channel],
    agents: (at: string) => [shell('echo', 'cat >/dev/null; echo hello', at)],
  });
  return { bench, said: (place) => channel.texts(place) };
}

async function sessionIn(bench: Bench, place: string) {
  return bench.store.sessions.open({ channel: 'fake', place, agent: 'echo' });
}

const unknown = (bench: Bench) => bench.store.outbox.list({ state: 'unknown', limit: 9 });

describe('people who may have missed an answer', () => {
  it('are told with the next one, once, and nobody else is', async () => {
    const { bench, said } = await startDoubtful();
    const hall = await sessionIn(bench, 'hall');
    const yard = await sessionIn(bench, 'yard');
    await bench.ask(hall, 'one');
    await until(async () => (await unknown(bench)).length === 1, 'a delivery in doubt');
    await bench.ask(yard, 'one');
    await bench.ask(hall, 'two');
    await until(() => said('hall').length === 2, 'the answer and the remark');
    expect(said('hall')).toEqual(['hello', expect.stringMatching(REMARK)]);
    await bench.ask(hall, 'three');
    await until(() => said('hall').length === 3, 'the next answer');
    expect(said('hall').at(-1)).toBe('hello');
    await until(() => said('yard').length === 1, 'the answer elsewhere');
    expect(said('yard')).toEqual(['hello']);
  });

  it('are told nothing when an operator has found out that it arrived', async () => {
    const { bench, said } = await startDoubtful();
    const hall = await sessionIn(bench, 'hall');
    await bench.ask(hall, 'one');
    await until(async () => (await unknown(bench)).length === 1, 'a delivery in doubt');
    const [delivery] = await unknown(bench);
    await settleUnknown(bench.gateway, delivery?.id ?? '', { verdict: 'sent', by: 'ada' });
    await bench.ask(hall, 'two');
    await bench.ask(hall, 'three');
    await until(() => said('hall').length === 2, 'both answers');
    expect(said('hall')).toEqual(['hello', 'hello']);
  });
});
