import type { Event } from '@plugboard/protocol';
import { storableJson, storableText } from '../../../storable.ts';
import type { Context } from '../context.ts';
import { appendEvent } from '../statements/events/append.ts';
import { indexText } from '../statements/said/index-text.ts';
import { advance } from '../statements/sessions/advance.ts';

/** The turn that says something, and the number of the last event before. */
export interface Speaker {
  readonly session: number;
  readonly turn: number;
  readonly last_event: number;
}

/** Appends events of a turn to the log; returns the number of the last event there is then, and when that was. */
export function appendSaid(
  { connection, now }: Context,
  speaker: Speaker,
  events: readonly Event[],
): { last: number; at: number } {
  const { session, turn } = speaker;
  const at = now();
  let number = speaker.last_event;
  for (const event of events) {
    number += 1;
    const seq = appendEvent(connection, { session, number, turn, at, body: storableJson(event) });
    if (event.type === 'message') indexText(connection, seq, storableText(event.text));
  }
  if (events.length > 0) advance(connection, session, number);
  return { last: number, at };
}
