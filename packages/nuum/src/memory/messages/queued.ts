import { type Connection, listRows } from '@plugboard/sqlite';

/**
 * A message of the table `inbox`: the host was told that it was accepted, and the model has not seen it. It gets a
 * number then.
 */
interface Queued {
  readonly at: number;
  readonly text: string;
}

/** Oldest first. */
export function queuedMessages(connection: Connection): readonly Queued[] {
  return listRows<Queued>(connection, 'select at, text from inbox order by number');
}
