import { describe, expect, it } from 'vitest';
import { SendError } from '../../../src/channels/channel.ts';
import type { ChannelBench, Failure } from '../channel-suite.ts';
import { BUSY_MS, contextOf, LACKING, listen, textOf } from './bench.ts';

const FAILURES: readonly (readonly [Failure, object, number])[] = [
  ['unreachable', { problem: 'later' }, 0],
  ['lost', { problem: 'unknown' }, 0],
  ['cut', { problem: 'unknown' }, 1],
  ['busy', { problem: 'later', afterMs: BUSY_MS }, 0],
  ['forbidden', { problem: 'never', stopsChannel: false }, 0],
  ['key refused', { problem: 'never', stopsChannel: true }, 0],
];

export function describeFailures(open: () => Promise<ChannelBench>): void {
  describe('a platform that fails', () => {
    it.for(FAILURES)(
      '(%s) is reported as %o, and not asked again',
      async ([failure, problem, visible], { skip }) => {
        await using bench = await open();
        const { channel, place } = bench;
        if (bench.fail === undefined) return skip(LACKING);
        await channel.start(listen(bench));
        await bench.fail(failure);
        const before = bench.calls();
        const error: unknown = await channel
          .send(place, textOf('one'), contextOf(bench))
          .catch((thrown) => thrown);
        expect(error).toBeInstanceOf(SendError);
        expect(error).toMatchObject(problem);
        expect(bench.calls() - before).toBeLessThanOrEqual(1);
        expect(await bench.seen()).toHaveLength(visible);
        await channel.stop();
      },
    );

    it.for([
      ['lost', 'pending'],
      ['cut', 'sent'],
    ] as const)('(%s) can be asked what became of it: %s', async ([failure, truth], { skip }) => {
      await using bench = await open();
      const { channel, place } = bench;
      if (bench.fail === undefined || channel.resolve === undefined) return skip(LACKING);
      await channel.start(listen(bench));
      await bench.fail(failure);
      const context = contextOf(bench);
      await channel.send(place, textOf('one'), context).catch(() => {});
      // A platform that drops repeated ids may be given it again in any case.
      const right = [truth, 'unknown', ...(bench.dropsRepeats === true ? ['pending'] : [])];
      const found = await channel.resolve(place, textOf('one'), context);
      expect(right).toContain(typeof found === 'object' ? 'sent' : found);
      if (typeof found === 'object') expect(found.platformId).toBe((await bench.seen())[0]?.platformId);
      await channel.stop();
    });

    it('that repeats a delivery of which it says that it has not arrived shows it once', async ({ skip }) => {
      await using bench = await open();
      const { channel, place } = bench;
      if (channel.resolve === undefined) return skip(LACKING);
      await channel.start(listen(bench));
      const context = contextOf(bench);
      await channel.send(place, textOf('one'), context);
      const found = await channel.resolve(place, textOf('one'), context);
      if (found === 'pending') await channel.send(place, textOf('one'), context);
      expect(await bench.seen()).toHaveLength(1);
      await channel.stop();
    });
  });
}
