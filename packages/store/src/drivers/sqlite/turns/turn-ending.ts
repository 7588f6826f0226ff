import type { End, Event } from '@plugboard/protocol';
import type { NewDelivery } from '../../../contract/outbox.ts';
import type { TurnState } from '../../../contract/records.ts';
import { type Connection, runStatement } from '../connection.ts';
import type { Context } from '../context.ts';
import { appendTurnEvents, type RunningTurn } from '../events/event-log.ts';
import { addDelivery } from '../messages/outbox.ts';
import { countWaiting } from '../messages/session-queue.ts';
import { returnTurnMessages } from '../messages/turn-messages.ts';

interface Ending {
  readonly state: TurnState;
  readonly events: readonly Event[];
  readonly end: End;
  readonly deliveries: readonly NewDelivery[];
  /** Whether the node keeps the lease of the session. */
  readonly keepsLease?: boolean;
}

const END_TURN = `
  update turns set state = :state, ended_at = :now, end_number = :number where seq = :turn`;

/** Ends a turn inside the transaction of the caller. The next claim of its session is free, unless `keepsLease`. */
export function finishTurn(context: Context, speaker: RunningTurn, ending: Ending): { at: number } {
  const { connection } = context;
  const { session, turn } = speaker;
  const { last, at } = appendTurnEvents(context, speaker, [...ending.events, ending.end]);
  runStatement(connection, END_TURN, { turn, state: ending.state, number: last, now: at });
  for (const delivery of ending.deliveries) addDelivery(context, { session, turn }, delivery);
  freeSession(connection, { session, changed: at, last, keeps: ending.keepsLease === true ? 1 : 0 });
  return { at };
}

const REMOVE_TURN = 'delete from turns where seq = :turn';

/** Deletes the turn and restores the session to its state before `claim`. */
export function undoClaim({ connection }: Context, session: number, turn: number): [] {
  returnTurnMessages(connection, turn);
  runStatement(connection, REMOVE_TURN, { turn });
  freeSession(connection, { session, changed: null, last: null, keeps: 0 });
  countWaiting(connection, session);
  return [];
}

// `fence` stays and grows with the next claim. `undoClaim` passes null for `:changed` and `:last`, which keeps both columns.
const FREE_SESSION = `
  update sessions
  set running = 0, node = iif(:keeps, node, null), lease_until = iif(:keeps, lease_until, null),
    updated_at = coalesce(:changed, updated_at), last_event = coalesce(:last, last_event)
  where seq = :session`;

function freeSession(
  connection: Connection,
  end: {
    readonly session: number;
    readonly changed: number | null;
    readonly last: number | null;
    readonly keeps: 0 | 1;
  },
): void {
  runStatement(connection, FREE_SESSION, end);
}
