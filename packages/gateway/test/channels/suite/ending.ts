import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { ChannelBench } from '../channel-suite.ts';
import { contextOf, listen, textOf } from './bench.ts';

export function describeEnding(open: () => Promise<ChannelBench>): void {
  describe('stopping it', () => {
    it('may be done before it was started, twice, and before it is started again', async () => {
      await using bench = await open();
      const { channel, place } = bench;
      await channel.stop();
      await channel.start(listen(bench));
      await channel.stop();
      await channel.stop();
      await channel.start(listen(bench));
      await channel.send(place, textOf('again'), contextOf(bench));
      expect(await bench.seen()).toHaveLength(1);
      await channel.stop();
    });

    it('leaves no timer and no connection', async () => {
      await using bench = await open();
      const { channel, place } = bench;
      const before = resources();
      await channel.start(listen(bench));
      await channel.send(place, textOf('one'), contextOf(bench));
      await channel.stop();
      await until(() => isNoMore(resources(), before), `no more than ${[...before]}`, 15_000);
    });

    it('ends all calls, to the platform and from it', async () => {
      await using bench = await open();
      const { channel, people } = bench;
      const ingress = listen(bench);
      await channel.start(ingress);
      await channel.stop();
      const before = bench.calls();
      people?.say('too late');
      await sleep(60);
      expect(bench.calls()).toBe(before);
      expect(ingress.heard).toEqual([]);
    });
  });
}

/** How many there are of each thing that keeps the process alive. */
function resources(): Map<string, number> {
  const groups = Map.groupBy(process.getActiveResourcesInfo(), (name) => name);
  return new Map([...groups].map(([name, all]) => [name, all.length]));
}

/** Connections of an earlier test may end meanwhile, and the test itself waits with a timer. */
function isNoMore(now: Map<string, number>, before: Map<string, number>): boolean {
  return [...now].every(([name, count]) => name === 'Immediate' || count <= (before.get(name) ?? 0));
}
