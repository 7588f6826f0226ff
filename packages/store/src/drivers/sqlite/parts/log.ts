import type { EventLog } from '../../../contract/store.ts';
import type { Context } from '../context.ts';
import { readEvents } from '../statements/events/read.ts';

/** The log of events of a store. */
export function createLog({ connection, read }: Context): EventLog {
  return { read: (sessionId, page) => read(() => readEvents(connection, { sessionId, ...page })) };
}
