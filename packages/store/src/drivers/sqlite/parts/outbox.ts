import { StoreError } from '../../../contract/errors.ts';
import type { Decision, DeliveryOutcome, NewDelivery, Outbox } from '../../../contract/outbox.ts';
import type { Delivery } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { newId } from '../id.ts';
import { type DeliveryRow, inOrder, toDelivery } from '../records/delivery.ts';
import { addDelivery } from '../statements/deliveries/add.ts';
import { decideDelivery } from '../statements/deliveries/decide.ts';
import { doubtDeliveries } from '../statements/deliveries/doubt.ts';
import { expireDeliveries } from '../statements/deliveries/expire.ts';
import { findDelivery } from '../statements/deliveries/find.ts';
import { listDeliveries } from '../statements/deliveries/list.ts';
import { settleDelivery } from '../statements/deliveries/settle.ts';
import { takeDeliveries } from '../statements/deliveries/take.ts';
import { theSession } from './sessions.ts';

const IN_DOUBT = 'The gateway stopped while this was being sent: it may have arrived.';

/** The outbox of a store. */
export function createOutbox(context: Context): Outbox {
  const { connection, read, write, now } = context;
  return {
    add: (sessionId, delivery) =>
      write(() => {
        const session = theSession(connection, sessionId).seq;
        return toDelivery(enqueue(context, { session, turn: null }, delivery));
      }),
    take: (taker) =>
      write(() =>
        inOrder(takeDeliveries(connection, { ...taker, channel: storableText(taker.channel), now: now() })),
      ),
    settle: (id, outcome) => write(() => settle(context, id, outcome)),
    recover: (node) => write(() => inOrder(doubtDeliveries(connection, node, IN_DOUBT))),
    expire: () => write(() => expireDeliveries(connection, now())),
    decide: (id, decision) => write(() => decide(context, id, decision)),
    get: (id) =>
      read(() => {
        const found = findDelivery(connection, id);
        return found === undefined ? undefined : toDelivery(found);
      }),
    list: (options) =>
      read(() => {
        if (options.before !== undefined) theDelivery(connection, options.before);
        return listDeliveries(connection, options).map(toDelivery);
      }),
  };
}

/** Puts something in the outbox, as part of whatever transaction is under way. */
export function enqueue(
  { connection, now }: Context,
  from: { readonly session: number; readonly turn: number | null },
  delivery: NewDelivery,
): DeliveryRow {
  const at = now();
  return addDelivery(connection, {
    ...from,
    id: newId(at),
    channel: storableText(delivery.channel),
    place: storableText(delivery.place),
    body: storableJson(delivery.body),
    now: at,
    expires: at + delivery.expiresInMs,
  });
}

function settle({ connection, now }: Context, id: string, outcome: DeliveryOutcome): void {
  const delivery = theDelivery(connection, id);
  settleDelivery(connection, {
    id,
    state: outcome.state,
    next: outcome.state === 'pending' ? now() + outcome.afterMs : delivery.next_at,
    platformId: outcome.state === 'sent' ? textOrNull(outcome.platformId) : delivery.platform_id,
    problem: outcome.state === 'sent' ? null : storableText(outcome.problem),
  });
}

const VERDICTS = { sent: 'sent', again: 'pending', drop: 'failed' } as const;

function decide({ connection, now }: Context, id: string, decision: Decision): Delivery {
  const delivery = theDelivery(connection, id);
  const at = now();
  const again = decision.verdict === 'again';
  const decided = decideDelivery(connection, {
    id,
    state: VERDICTS[decision.verdict],
    next: again ? at : delivery.next_at,
    expires: again ? at + decision.expiresInMs : delivery.expires_at,
    problem: decision.verdict === 'sent' ? null : delivery.problem,
    by: storableText(decision.by),
    now: at,
  });
  if (decided !== undefined) return toDelivery(decided);
  throw new StoreError('conflict', `The delivery ${id} is ${delivery.state}, and not unknown.`);
}

/** The delivery with this id; throws when there is none. */
function theDelivery(connection: Connection, id: string): DeliveryRow {
  const delivery = findDelivery(connection, id);
  if (delivery === undefined) throw new StoreError('not-found', `There is no delivery ${id}.`);
  return delivery;
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : storableText(text);
}
