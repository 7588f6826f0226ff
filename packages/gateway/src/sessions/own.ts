import type { Event, Run } from '@plugboard/host';

/** A turn that an agent began by itself, and what it says in it. */
export type OwnTurn = Pick<Run, 'batches'>;

/**
 * Reads a turn that cannot be written down yet. The agent must not be held up meanwhile: the turn that is written down now
 * may be the one that it begins when it is done with this.
 */
export function readAhead(turn: OwnTurn): OwnTurn {
  const source = turn.batches();
  const held: (readonly Event[])[] = [];
  let taken = false;
  const read = async (): Promise<void> => {
    while (!taken) {
      const next = await source.next();
      if (next.done === true) return;
      held.push(next.value);
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
