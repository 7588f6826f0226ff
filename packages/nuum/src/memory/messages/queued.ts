import { type Connection, rows } from '../../database/connection.ts';

/** A message that a host was told is taken and that the model has not seen yet: it gets its number when it is seen. */
interface Queued {
  readonly at: number;
  readonly text: string;
}

/** All that wait, the first first. */
export function queuedMessages(connection: Connection): readonly Queued[] {
  return rows<Queued>(connection, 'select at, text from inbox order by number');
}
