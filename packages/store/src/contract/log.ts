import type { End, Event } from '@plugboard/protocol';
import type { Notice, StoredEvent } from './records.ts';

/** What was said in a session, by number. */
export interface EventLog {
  /**
   * Events after a number, in order, at most `limit`. With `bytes` no more are read once those before are about as large; one
   * is always read.
   */
  read(
    sessionId: string,
    options: { readonly after: number; readonly limit: number; readonly bytes?: number },
  ): Promise<readonly StoredEvent[]>;
  /**
   * Appends what happened outside any turn: a notice of the gateway, a changed list of tasks. `id` names it for ever: the
   * same one again changes nothing and resolves to the event that is there.
   */
  note(sessionId: string, note: { readonly id: string; readonly event: Notice | Said }): Promise<Noted>;
}

/** What is said in a turn before its end: the end is not appended, it completes the turn. */
export type Said = Exclude<Event, End>;

/** An event outside any turn, in the log. */
export interface Noted {
  readonly event: StoredEvent;
  readonly duplicate: boolean;
}
