import type { Connection } from './connection.ts';
import { parseJson } from './request.ts';
import type { EventView, SessionView } from './shapes.ts';
import { followStream, type StreamOptions } from './stream.ts';

/** One thing that `followLog` reports. */
export type LogStep =
  | { readonly type: 'event'; readonly view: EventView }
  /** The session as it is now; it has no number, and is repeated after every reconnect. */
  | { readonly type: 'status'; readonly session: SessionView }
  /** `after` was no number of this session. Events go on after `last`; `events.list` has older events. */
  | { readonly type: 'resync'; readonly last: number };

/** Opens the event stream of a session after a number; called for every try. */
export type OpenLog = (after: number, signal: AbortSignal) => Promise<Response>;

/**
 * The events of a session after `after`, each once and in order, over every cut. Two numbers that do not join up within one connection
 * close it, and the next one asks for the events between them; those that still do not come are not in the log any more.
 */
export async function* followLog(
  open: OpenLog,
  after: number,
  options: StreamOptions = {},
): AsyncGenerator<LogStep> {
  let last = after;
  let connection: Connection | undefined;
  /** Events of this connection join up with `last`. */
  let joined = false;
  const watching: StreamOptions = {
    ...options,
    onConnection(made) {
      connection = made;
      joined = false;
      options.onConnection?.(made);
    },
  };
  for await (const { event, data } of followStream((signal) => open(last, signal), watching)) {
    const step = readStep(event, data);
    if (step?.type === 'event') {
      const { number } = step.view;
      if (number <= last) continue;
      if (joined && number > last + 1) {
        connection?.close('released');
        continue;
      }
      joined = true;
      last = number;
    }
    if (step?.type === 'resync') last = step.last;
    if (step !== undefined) yield step;
  }
}

/** Undefined for an unknown kind of message: later versions may add kinds. */
function readStep(event: string, data: string): LogStep | undefined {
  if (event === 'event') return { type: 'event', view: parseJson<EventView>(data) };
  if (event === 'status') return { type: 'status', session: parseJson<SessionView>(data) };
  if (event === 'resync') return { type: 'resync', last: parseJson<{ last: number }>(data).last };
  return undefined;
}
