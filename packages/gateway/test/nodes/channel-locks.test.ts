import { until } from '@plugboard/testkit';
import { afterEach, expect, it } from 'vitest';
import { silentLogger } from '../../src/log.ts';
import { type ChannelLocks, createChannelLocks } from '../../src/nodes/channel-locks.ts';

/** Locks of the server, as one gateway sees them. */
const taken = new Map<string, string>();
const open: ChannelLocks[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  taken.clear();
});

function join(node: string, names: readonly string[]) {
  const has = new Set<string>();
  const steps: string[] = [];
  const locks = createChannelLocks({
    nodes: {
      async takeLock(name) {
        const holder = taken.get(name) ?? node;
        taken.set(name, holder);
        return holder === node;
      },
      async releaseLock(name) {
        steps.push(`release ${name}`);
        taken.delete(name);
      },
    },
    lives: {
      take: (name) => void has.add(name),
      async giveUp(name) {
        await Promise.resolve();
        steps.push(`stop ${name}`);
        has.delete(name);
      },
    },
    names: () => names,
    log: silentLogger,
  });
  open.push(locks);
  return { locks, has, steps };
}

it('a channel is one gateway’s at a time, and another takes it when it is given up', async () => {
  const north = join('north', ['telegram', 'discord']);
  north.locks.look();
  await until(() => north.has.size === 2, 'north has both');
  const south = join('south', ['telegram', 'slack']);
  south.locks.look();
  await until(() => south.has.has('slack'), 'south has its own');
  expect([...south.has]).toEqual(['slack']);
  await north.locks.giveUp();
  // First nothing here may send any more, and then another gateway may.
  expect(north.steps.indexOf('stop telegram')).toBeLessThan(north.steps.indexOf('release channel telegram'));
  south.locks.look();
  await until(() => south.has.has('telegram'), 'south takes it');
  north.locks.look();
  await new Promise((resolve) => setImmediate(resolve));
  expect(north.has.size).toBe(0);
  north.locks.resume();
  await until(() => north.has.has('discord'), 'north takes what is free');
});

it('channels whose locks are lost are stopped here at once, and taken again when they are free', async () => {
  const north = join('north', ['telegram']);
  north.locks.look();
  await until(() => north.has.has('telegram'), 'north has it');
  taken.set('channel telegram', 'south');
  north.locks.drop();
  await until(() => !north.has.has('telegram'), 'north has stopped it');
  expect(north.steps).toEqual(['stop telegram']);
  taken.delete('channel telegram');
  await until(() => north.has.has('telegram'), 'north looks again by itself');
});
