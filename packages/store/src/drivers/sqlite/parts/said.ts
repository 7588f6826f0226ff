import type { Event } from '@plugboard/protocol';
import { storableJson } from '../../../storable.ts';
import type { Context } from '../context.ts';
import { appendEvent } from '../statements/events/append.ts';

/** The turn that says something, and the number of the last event before. */
export interface Speaker {
  readonly session: number;
  readonly turn: number;
  readonly last_event: number;
}

/** Appends events of a turn to the log; returns the number of the last one, which the session has yet to be told, and when. */
export function appendSaid(
  { connection, now, index }: Context,
  speaker: Speaker,
  events: readonly Event[],
): { last: number; at: number } {
  const { session, turn } = speaker;
  const at = now();
  let number = speaker.last_event;
  for (const event of events) {
    number += 1;
    appendEvent(connection, { session, number, turn, at, body: storableJson(event) });
    if (event.type === 'message') index.noteSaid();
  }
  return { last: number, at };
}
