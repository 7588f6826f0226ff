import { describe, expect, it } from 'vitest';
import { createGathered, gather, takeGathered } from '../src/model/gathered.ts';

describe('text that is gathered', () => {
  it('comes out as it went in, however many pieces it was', () => {
    const pieces = Array.from({ length: 5_000 }, (_, at) => String(at));
    const gathered = createGathered(1_000_000, '\n');
    for (const piece of pieces) gather(gathered, piece);

    expect(takeGathered(gathered)).toBe(pieces.join('\n'));
    expect(takeGathered(gathered)).toBe('');
  });

  it('is few strings, so that a flood of short lines takes no more memory than its letters', () => {
    const gathered = createGathered(1_000_000);
    for (let line = 0; line < 300_000; line += 1) gather(gathered, 'y\n');

    expect(gathered.blocks.length + gathered.pieces.length).toBeLessThan(2_000);
  });

  it('is cut where it is full, and says so once', () => {
    const gathered = createGathered(5);

    expect([gather(gathered, 'abc'), gather(gathered, 'def'), gather(gathered, 'ghi')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(takeGathered(gathered)).toBe('abcde');
  });
});
