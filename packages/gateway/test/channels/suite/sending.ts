import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { ChannelBench } from '../channel-suite.ts';
import { contextOf, LACKING, listen, textOf } from './bench.ts';

export function describeSending(open: () => Promise<ChannelBench>): void {
  describe('what is sent', () => {
    it('is seen once, in order, and has a name', async () => {
      await using bench = await open();
      const { channel, place } = bench;
      await channel.start(listen(bench));
      const first = await channel.send(place, textOf('one'), contextOf(bench));
      const second = await channel.send(place, textOf('two'), contextOf(bench));
      const seen = await bench.seen();
      expect(seen.map(({ text }) => text)).toEqual(['one', 'two']);
      expect(seen.map(({ platformId }) => platformId)).toEqual([first.platformId, second.platformId]);
      await channel.stop();
    });

    it('carries files where it can', async ({ skip }) => {
      await using bench = await open();
      using directory = temporaryDirectory();
      const { channel, place } = bench;
      if (channel.limits.readsLog || !channel.limits.media) return skip(LACKING);
      const path = join(directory.path, 'a.txt');
      writeFileSync(path, 'inside');
      await channel.start(listen(bench));
      const media = [{ kind: 'file', path, name: 'a.txt' } as const];
      await channel.send(place, { kind: 'message', text: 'Here.', media }, contextOf(bench));
      expect(await bench.seen()).toMatchObject([{ text: 'Here.', files: 1 }]);
      await channel.stop();
    });

    it('is replaced by an edit, also by what it says already', async ({ skip }) => {
      await using bench = await open();
      const { channel, place } = bench;
      if (channel.edit === undefined) return skip(LACKING);
      await channel.start(listen(bench));
      const { platformId = '' } = await channel.send(place, textOf('one'), contextOf(bench));
      for (const text of ['two', 'three', 'three']) await channel.edit(place, platformId, textOf(text));
      expect(await bench.seen()).toMatchObject([{ text: 'three', platformId }]);
      await channel.stop();
    });

    it('can no longer be replaced when somebody has deleted it', async ({ skip }) => {
      await using bench = await open();
      const { channel, place } = bench;
      if (channel.edit === undefined || bench.remove === undefined) return skip(LACKING);
      await channel.start(listen(bench));
      const { platformId = '' } = await channel.send(place, textOf('one'), contextOf(bench));
      bench.remove(platformId);
      await expect(channel.edit(place, platformId, textOf('two'))).rejects.toMatchObject({
        problem: 'never',
      });
      await channel.stop();
    });

    it('may be announced by a sign that somebody is at work', async ({ skip }) => {
      await using bench = await open();
      const { channel, place } = bench;
      if (channel.typing === undefined) return skip(LACKING);
      await channel.start(listen(bench));
      await channel.typing(place);
      expect(await bench.seen()).toEqual([]);
      await channel.stop();
    });
  });
}
