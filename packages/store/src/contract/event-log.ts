import type { End, Event } from '@plugboard/protocol';
import type { Notice, StoredEvent } from './records.ts';

/** The events of a session, numbered from 1 without a gap. */
export interface EventLog {
  /**
   * Events with a number above `after`, ascending, at most `limit`. Ends early once their JSON has `bytes` characters, but
   * never before the first event.
   */
  read(
    sessionId: string,
    options: { readonly after: number; readonly limit: number; readonly bytes?: number },
  ): Promise<readonly StoredEvent[]>;
  /**
   * Appends an event outside any turn: a notice of the gateway, a changed list of tasks. `id` is an idempotency key: the
   * same `id` again changes nothing and resolves to the stored event.
   */
  note(sessionId: string, note: { readonly id: string; readonly event: Notice | Said }): Promise<Noted>;
}

/** An event of a turn except its `end`, which is `Changes.end`. */
export type Said = Exclude<Event, End>;

/** The result of `EventLog.note`. */
export interface Noted {
  readonly event: StoredEvent;
  readonly duplicate: boolean;
}
