import { describe, expect, it } from 'vitest';
import { type Channel, type Ingress, SendError } from '../../src/channels/channel.ts';
import { type ChannelLife, createLife } from '../../src/channels/life.ts';
import { silentLogger } from '../../src/log.ts';
import { createFakeChannel, hang } from '../delivery/fake-channel.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';

const INGRESS: Ingress = {
  receive: hang,
  note: async () => 1,
  press: hang,
  report: hang,
  renameSender: hang,
  movePlace: hang,
  fail() {},
};

interface Lived {
  readonly life: ChannelLife;
  readonly clock: FakeClock;
  readonly happened: string[];
}

/** The life of a channel, with what happened in it. */
function live(channel: Partial<Channel>): Lived {
  const happened: string[] = [];
  const log = { ...silentLogger, warn: () => happened.push('warned'), error: () => happened.push('told') };
  const clock = createFakeClock();
  const life = createLife({
    clock,
    channel: { ...createFakeChannel(), ...channel },
    log,
    onReady: () => happened.push('ready'),
    onFailed: () => happened.push('failed'),
  });
  life.start(INGRESS);
  return { life, clock, happened };
}

describe('a channel', () => {
  it('that cannot be reached is stopped and started again until it can', async () => {
    let starts = 0;
    let stops = 0;
    const { life, clock, happened } = live({
      async start() {
        starts += 1;
        if (starts < 3) throw new Error('no route');
      },
      async stop() {
        stops += 1;
      },
    });
    expect(life.state).toBe('starting');
    await clock.passUntil(() => life.state === 'ready', 'it to be ready');
    expect(happened).toEqual(['warned', 'warned', 'ready']);
    expect(stops).toBe(2);
  });

  it('whose key is refused is not started again, and the operator is told', async () => {
    let starts = 0;
    const { life, clock, happened } = live({
      async start() {
        starts += 1;
        throw new SendError('never', 'bad token');
      },
    });
    await clock.passUntil(() => life.state === 'failed', 'it to fail');
    await clock.pass(600_000);
    expect([starts, happened]).toEqual([1, ['told', 'failed']]);
  });

  it('that says it cannot go on is stopped once, for good', async () => {
    let stops = 0;
    const { life, clock, happened } = live({
      async stop() {
        stops += 1;
      },
    });
    await clock.passUntil(() => life.state === 'ready', 'it to be ready');
    life.fail('bad token');
    life.fail('bad token');
    expect([life.state, stops, happened]).toEqual(['failed', 1, ['ready', 'told', 'failed']]);
  });

  it.each([
    ['starts', { start: hang }],
    ['stops', { stop: hang }],
  ])('that never %s does not keep the gateway from ending', async (_what, channel) => {
    const { life, clock, happened } = live(channel);
    const stopped = life.stop();
    await clock.pass(5_000);
    await stopped;
    expect([life.state, happened]).toEqual(['stopped', []]);
  });

  it('that is stopped while it waits for the next try is not started', async () => {
    let starts = 0;
    const { life, clock } = live({
      async start() {
        starts += 1;
        throw new Error('no route');
      },
    });
    await clock.passUntil(() => starts === 1, 'the first try');
    await life.stop();
    await clock.pass(600_000);
    expect(starts).toBe(1);
  });
});
