import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { ChannelBench } from '../channel-suite.ts';
import { LACKING, listen } from './bench.ts';

export function describeHearing(open: () => Promise<ChannelBench>): void {
  describe('what people say', () => {
    it('comes in once, with the names that the platform has for it and for who said it', async ({ skip }) => {
      await using bench = await open();
      const { people, channel, place } = bench;
      if (people === undefined) return skip(LACKING);
      const ingress = listen(bench);
      await channel.start(ingress);
      const ids = [people.say('one'), people.say('two')];
      await until(() => people.isAcknowledged(ids[1] ?? ''), 'the platform to know');
      // What came in a second time would come before this.
      const last = people.say('three');
      await until(() => people.isAcknowledged(last), 'the platform to know');
      expect(ingress.heard.map(({ messageId, text }) => [messageId, text])).toEqual([
        [ids[0], 'one'],
        [ids[1], 'two'],
        [last, 'three'],
      ]);
      expect(ingress.heard.every((message) => message.place === place)).toBe(true);
      expect(new Set(ingress.heard.map(({ sender }) => sender)).size).toBe(1);
      await channel.stop();
    });

    it('is acknowledged when it is kept, and not before', async ({ skip }) => {
      await using bench = await open();
      const { people, channel } = bench;
      if (people === undefined) return skip(LACKING);
      const kept = Promise.withResolvers<void>();
      const ingress = listen(bench, () => kept.promise);
      await channel.start(ingress);
      const id = people.say('one');
      await until(() => ingress.heard.length === 1, 'it to be heard');
      await sleep(50);
      expect(people.isAcknowledged(id)).toBe(false);
      kept.resolve();
      await until(() => people.isAcknowledged(id), 'the platform to know');
      await channel.stop();
    });

    it('is given again, under the same name, when it could not be kept', async ({ skip }) => {
      await using bench = await open();
      const { people, channel } = bench;
      if (people === undefined) return skip(LACKING);
      let times = 0;
      const ingress = listen(bench, async () => {
        times += 1;
        if (times < 3) throw new Error('The disk is full.');
      });
      await channel.start(ingress);
      const id = people.say('one');
      await until(() => people.isAcknowledged(id), 'the platform to know');
      expect(ingress.heard.map(({ messageId }) => messageId)).toEqual([id, id, id]);
      await channel.stop();
    });
  });
}
