import type { Event, Run } from '@plugboard/host';
import { faultEvent } from '@plugboard/protocol';

/** A turn that an agent began by itself, and what it says in it. */
export type OwnTurn = Pick<Run, 'batches'>;

/** So many events are held; of a turn that says more than this before it can be written down, the rest is let go. */
const MOST_HELD = 50_000;

/**
 * Reads a turn that cannot be written down yet. The agent must not be held up meanwhile: the turn that is written down now
 * may be the one that it begins when it is done with this.
 */
export function readAhead(turn: OwnTurn, { mostHeld = MOST_HELD }: { mostHeld?: number } = {}): OwnTurn {
  const source = turn.batches();
  const held: (readonly Event[])[] = [];
  let room = mostHeld;
  let cut = false;
  let taken = false;
  const hold = (batch: readonly Event[]): void => {
    room -= batch.length;
    if (room >= 0) return void held.push(batch);
    const told = cut ? [] : [tooMuch(mostHeld)];
    cut = true;
    held.push([...told, ...batch.filter(({ type }) => type === 'end')]);
  };
  const read = async (): Promise<void> => {
    while (!taken) {
      const next = await source.next();
      if (next.done === true) return;
      hold(next.value);
    }
  };
  const reading = read();
  async function* batches(): AsyncGenerator<readonly Event[], undefined> {
    taken = true;
    yield* held.splice(0);
    // One more was being read when this was taken.
    await reading;
    yield* held.splice(0);
    yield* source;
    return undefined;
  }
  return { batches };
}

function tooMuch(mostHeld: number): Event {
  const message = `The agent said too much while another turn was going on: only ${mostHeld} events of this one are kept.`;
  return faultEvent('output-too-long', message);
}
