import type { End, Event } from '@plugboard/protocol';
import type { NewDelivery } from '../../../contract/outbox.ts';
import type { StoredTurn, TurnState } from '../../../contract/records.ts';
import type { Turns } from '../../../contract/turns.ts';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { toSession } from '../records/session.ts';
import { type TurnRow, toTurn } from '../records/turn.ts';
import { lastSaid } from '../statements/events/last-said.ts';
import { takenIn } from '../statements/events/taken-in.ts';
import { messagesOfTurn } from '../statements/messages/of-turn.ts';
import { putBackMessage } from '../statements/messages/put-back-one.ts';
import { countWaiting } from '../statements/sessions/count-waiting.ts';
import { freeSession } from '../statements/sessions/free.ts';
import { interruptedSessions } from '../statements/sessions/interrupted.ts';
import { countInterruptions } from '../statements/turns/count-interruptions.ts';
import { endTurn } from '../statements/turns/end.ts';
import { theTurn } from '../statements/turns/find.ts';
import { findRunningTurn } from '../statements/turns/find-running.ts';
import { enqueue } from './outbox.ts';
import { progressOf } from './progress.ts';
import { appendSaid, type Speaker } from './said.ts';
import { theSession } from './sessions.ts';

interface Ending {
  readonly state: TurnState;
  readonly events: readonly Event[];
  readonly end: End;
  readonly deliveries: readonly NewDelivery[];
}

/** Ends a turn and frees its session. */
export function finish(context: Context, speaker: Speaker, ending: Ending): { at: number } {
  const { connection } = context;
  const { session, turn } = speaker;
  const { last, at } = appendSaid(context, speaker, [...ending.events, ending.end]);
  endTurn(connection, { turn, state: ending.state, number: last, now: at });
  for (const delivery of ending.deliveries) enqueue(context, { session, turn }, delivery);
  freeSession(connection, { session, changed: at, last });
  return { at };
}

/** Ends the turns that nobody runs any more. A turn that has ended is not found again, so its notice is given once. */
export function recover(context: Context, options: Parameters<Turns['recover']>[0]): StoredTurn[] {
  const { connection, now } = context;
  const sessions = interruptedSessions(connection, { now: now(), node: options.node ?? null });
  return sessions.map(({ id, seq: session, last_event }) => {
    const running = findRunningTurn(connection, session);
    const { id: turnId, seq: turn, after_number: after } = running;
    const end = interruption(lastSaid(connection, { session, after }));
    const ending = { state: 'interrupted', events: [], end, deliveries: [] } as const;
    finish(context, { session, turn, last_event }, ending);
    const ended = toTurn(theTurn(connection, turnId));
    const interruptions = countInterruptions(connection, { session, turn });
    const again = interruptions > 0 && options.again?.(ended, interruptions) === true;
    const notice = again ? undefined : options.notice(ended, toSession(theSession(connection, id)));
    if (notice !== undefined) enqueue(context, { session, turn }, notice);
    waitAgain(connection, session, running, again);
    return ended;
  });
}

/**
 * Messages that the agent had not begun wait again, each where it stood; with `again` also those it was at. What it had
 * answered before the end of its turn stays answered.
 */
function waitAgain(connection: Connection, session: number, turn: TurnRow, again: boolean): void {
  const { seq, message_id: message, after_number: after } = turn;
  const { at, next } = progressOf(takenIn(connection, { session, turn: seq, after }));
  // A turn that nobody asked for has no message 0.
  const first = message === null ? 1 : 0;
  const ids = messagesOfTurn(connection, seq).slice(Math.max(0, (again ? at : next) - first));
  for (const id of ids) putBackMessage(connection, id);
  if (ids.length > 0) countWaiting(connection, session);
}

/** The end of a turn whose agent can no longer say how it ended. */
function interruption(text: string): End {
  const message = 'The turn was interrupted: the gateway stopped while it was running.';
  return { type: 'end', outcome: 'cancelled', text, error: { message, code: 'interrupted' } };
}
