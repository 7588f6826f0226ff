import type { Event } from '@plugboard/host';
import { describe, expect, it } from 'vitest';
import { readAhead } from '../../src/sessions/own.ts';

const END: Event = { type: 'end', outcome: 'success', text: '' };

async function* said(batches: readonly (readonly Event[])[]): AsyncIterableIterator<readonly Event[]> {
  yield* batches;
}

/** Everything has been read before anybody takes it. */
async function taken(
  batches: readonly (readonly Event[])[],
  options: { mostHeld?: number } = {},
): Promise<Event[]> {
  const turn = readAhead({ batches: () => said(batches) }, options);
  await new Promise((resolve) => setImmediate(resolve));
  const events: Event[] = [];
  for await (const batch of turn.batches()) events.push(...batch);
  return events;
}

describe('a turn that is read before it can be written down', () => {
  it('comes out whole and in order', async () => {
    const words: Event[] = ['a', 'b', 'c'].map((text) => ({ type: 'delta', kind: 'output', text }));
    expect(await taken([words.slice(0, 2), words.slice(2), [END]])).toEqual([...words, END]);
  });

  it('is held up to a limit, says what is missing, and ends', async () => {
    const word: Event = { type: 'delta', kind: 'output', text: 'x' };
    const events = await taken([...Array.from({ length: 100 }, () => [word, word, word]), [END]], {
      mostHeld: 9,
    });

    expect(events.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 9 }, () => 'delta'),
      'fault',
      'end',
    ]);
  });
});
