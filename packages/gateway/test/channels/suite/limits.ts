import { expect, it } from 'vitest';
import { bodyOf } from '../../../src/delivery/body.ts';
import { planDeliveries } from '../../../src/delivery/plan.ts';
import type { ChannelBench } from '../channel-suite.ts';
import { contextOf, listen, textOf } from './bench.ts';

export function describeLimits(open: () => Promise<ChannelBench>): void {
  it('has a name that can stand in a configuration, and limits that make sense', async () => {
    await using bench = await open();
    const { name, limits, edit, typing } = bench.channel;
    const { measure = (text: string) => text.length } = limits;
    expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(limits.textLength).toBeGreaterThanOrEqual(20);
    expect(limits.captionLength ?? 0).toBeLessThanOrEqual(limits.textLength);
    for (const count of [
      limits.mediaPerMessage,
      limits.parallel,
      limits.editIntervalMs,
      limits.typingIntervalMs,
    ])
      expect(count ?? 1).toBeGreaterThanOrEqual(1);
    if (limits.editIntervalMs !== undefined) expect(edit).toBeDefined();
    if (limits.typingIntervalMs !== undefined) expect(typing).toBeDefined();
    expect(measure('')).toBe(0);
    const counts = ['a', 'aé', 'aé👩‍👩‍👧‍👦', 'aé👩‍👩‍👧‍👦 and more'].map((text) => measure(text));
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
  });

  it('takes a text as long as it says, and everything that is cut to that', async () => {
    await using bench = await open();
    const { channel, place } = bench;
    await channel.start(listen(bench));
    const longest = channel.limits.textLength;
    const text = '👩‍👩‍👧‍👦 abc. '.repeat(Math.ceil((longest * 1.5) / 16)).trim();
    const parts = planDeliveries(channel, { place }, textOf(text)).map(bodyOf);
    for (const part of [textOf('x'.repeat(longest)), ...parts])
      await channel.send(place, part, contextOf(bench));
    // Platforms cut spaces at the end of a message.
    expect((await bench.seen()).map((one) => one.text.trimEnd())).toEqual([
      'x'.repeat(longest),
      ...parts.map((part) => part.text.trimEnd()),
    ]);
    await channel.stop();
  });
}
