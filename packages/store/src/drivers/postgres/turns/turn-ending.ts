import type { End, Event } from '@plugboard/protocol';
import type { NewDelivery } from '../../../contract/outbox.ts';
import type { TurnState } from '../../../contract/records.ts';
import { runStatement, type Transaction } from '../connection.ts';
import { appendTurnEvents, type RunningTurn } from '../events/event-log.ts';
import { addDeliveries } from '../messages/delivery-rows.ts';
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

/** Ends a turn of a locked session. The next claim of the session is free, unless `keepsLease`. */
export async function finishTurn(
  transaction: Transaction,
  speaker: RunningTurn,
  ending: Ending,
): Promise<void> {
  const { session, turn } = speaker;
  const last = await appendTurnEvents(transaction, speaker, [...ending.events, ending.end]);
  await runStatement(transaction, END_TURN, { turn, state: ending.state, number: last });
  await addDeliveries(transaction, { session, turn }, ending.deliveries);
  await freeSession(transaction, {
    session,
    changed: transaction.now,
    last,
    keeps: ending.keepsLease === true,
  });
}

const REMOVE_TURN = 'delete from turns where seq = :turn';

/** Deletes the turn and restores the session to its state before `claim`. */
export async function undoClaim(transaction: Transaction, session: number, turn: number): Promise<void> {
  await returnTurnMessages(transaction, turn);
  await runStatement(transaction, REMOVE_TURN, { turn });
  await freeSession(transaction, { session, changed: null, last: null, keeps: false });
  await countWaiting(transaction, session);
}

// `fence` stays and grows with the next claim. `undoClaim` passes null for `:changed` and `:last`, which keeps both columns.
const FREE_SESSION = `
  update sessions
  set running = false, node = case when :keeps::boolean then node end,
    lease_until = case when :keeps::boolean then lease_until end,
    updated_at = coalesce(:changed::bigint, updated_at), last_event = coalesce(:last::bigint, last_event)
  where seq = :session`;

async function freeSession(
  transaction: Transaction,
  end: {
    readonly session: number;
    readonly changed: number | null;
    readonly last: number | null;
    readonly keeps: boolean;
  },
): Promise<void> {
  await runStatement(transaction, FREE_SESSION, end);
}
