import { listRows, runStatement, type Transaction } from '../connection.ts';
import { keyOf } from '../context.ts';

/** A newline follows the place in `FROM\nPERSON`. */
const IN_PLACE = 'channel = :channel and (place = :from or starts_with(place, :from || chr(10)))';

const LIST_SESSIONS = `select seq, place from sessions where not closed and ${IN_PLACE}`;

// Another live session of the place keeps it.
const MOVE_SESSION = `
  update sessions as s set place = :place, place_key = :key
  where s.seq = :seq and not exists (
    select 1 from sessions as other
    where other.channel = s.channel and other.place_key = :key and not other.closed)`;

const LIST_DELIVERIES = `
  select seq, place from deliveries where state in ('pending', 'sending') and ${IN_PLACE}`;

const MOVE_DELIVERY = 'update deliveries set place = :place, place_key = :key where seq = :seq';

const MOVE_PEOPLE = `
  update people set place = :to || substr(place, length(:from) + 1) where ${IN_PLACE}`;

interface PlaceRow {
  readonly seq: number;
  readonly place: string;
}

/** Moves live sessions, open deliveries and people. Platforms replace ids of places rarely: one statement for each row. */
export async function movePlace(
  transaction: Transaction,
  { channel, from, to }: { readonly channel: string; readonly from: string; readonly to: string },
): Promise<void> {
  const moves = [
    [LIST_SESSIONS, MOVE_SESSION],
    [LIST_DELIVERIES, MOVE_DELIVERY],
  ] as const;
  for (const [list, move] of moves) {
    for (const { seq, place } of await listRows<PlaceRow>(transaction, list, { channel, from })) {
      const moved = to + place.slice(from.length);
      await runStatement(transaction, move, { seq, place: moved, key: keyOf(moved) });
    }
  }
  await runStatement(transaction, MOVE_PEOPLE, { channel, from, to });
}
