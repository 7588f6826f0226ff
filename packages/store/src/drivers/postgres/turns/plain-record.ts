import { LostClaimError } from '../../../contract/errors.ts';
import type { Changes, Claim, Recorded } from '../../../contract/turns.ts';
import { type Connection, findRow, NOW, type Parameters } from '../connection.ts';
import { type Context, newId } from '../context.ts';
import { GIVEN_EVENTS, toEventColumns } from '../events/event-log.ts';
import { GIVEN_DELIVERIES, toDeliveryColumns } from '../messages/delivery-rows.ts';
import { readFrom } from '../transaction.ts';

/** Events that change other records than the log. */
const SPECIAL = new Set(['ask', 'ask-ended', 'options', 'session-info']);

/** Whether `recordPlain` can write `changes`, as most calls of a turn. */
export function isPlain(changes: Changes): boolean {
  const { events = [], end, takeWaiting, returned = [], abandoned, release, next } = changes;
  const keepsQueue =
    takeWaiting !== true && returned.length === 0 && abandoned === undefined && release !== true;
  return (
    keepsQueue &&
    next === undefined &&
    end?.cost === undefined &&
    !events.some(({ type }) => SPECIAL.has(type))
  );
}

// `held` waits for the lock of the session, and then sees its newest row: numbers go on without a gap, and a claim that was
// lost meanwhile gives no row, so that the other parts write nothing. The second `:record` finds no row either.
const RECORD = `
  with turn as (select seq, session from turns where id = :turnId and state = 'running'),
  held as (
    update sessions
    set last_event = last_event + :count::bigint, record_first = last_event + 1, record_at = ${NOW},
      record_id = :record::text,
      agent_session = coalesce(:agentSession::text, agent_session),
      running = :outcome::text is null,
      node = case when :frees::boolean then null else node end,
      lease_until = case when :frees::boolean then null else lease_until end,
      updated_at = case when :outcome::text is null then updated_at else ${NOW} end
    from turn
    where sessions.id = :sessionId and sessions.seq = turn.session and fence = :fence and running
      and record_id is distinct from :record::text
    returning sessions.seq, turn.seq as turn, record_first as first, record_at as at),
  added as (
    insert into events (session, number, turn, at, type, body)
    select held.seq, held.first - 1 + place, held.turn, held.at, type, body from held, ${GIVEN_EVENTS}),
  searched as (
    insert into said (session, number, text)
    select held.seq, held.first - 1 + place, text from held, ${GIVEN_EVENTS} where text is not null),
  delivered as (
    insert into deliveries (id, session, turn, channel, place, place_key, body, state, next_at, expires_at)
    select id, held.seq, held.turn, channel, place, key, content, 'pending', held.at, held.at + expiry
    from held, ${GIVEN_DELIVERIES}
    order by rank),
  heard as (
    update messages set given = true from held
    where :hears::boolean and messages.id = any(:given::text[]) and messages.turn = held.turn),
  ended as (
    update turns
    set state = :outcome::text, ended_at = held.at, end_number = held.first - 1 + :count::bigint, end_record = :record::text
    from held where :outcome::text is not null and turns.seq = held.turn)
  select first, at from held`;

interface RecordRow {
  readonly first: number;
  readonly at: number;
}

/**
 * `Turns.record` in one statement. When its answer is lost, the next attempt finds `record_id`: the holder alone writes it,
 * and one call at a time.
 */
export async function recordPlain({ server }: Context, claim: Claim, changes: Changes): Promise<Recorded> {
  const values = toValues(claim, changes, server.time());
  const { first, at } = await readFrom(server, async (connection) => {
    const written = await findRow<RecordRow>(connection, RECORD, values);
    return written ?? (await requireRecord(connection, claim, values));
  });
  return { first, at, taken: [], next: undefined };
}

function toValues(claim: Claim, changes: Changes, now: number): Parameters & { readonly record: string } {
  const { events = [], deliveries = [], end, given = [], agentSession, keepsLease = false } = changes;
  const appended = end === undefined ? events : [...events, end];
  return {
    sessionId: claim.session.id,
    turnId: claim.turn.id,
    fence: claim.fence,
    record: newId(now),
    count: appended.length,
    agentSession: agentSession ?? null,
    outcome: end?.outcome ?? null,
    frees: end !== undefined && !keepsLease,
    hears: given.length > 0,
    given,
    ...toEventColumns(appended),
    ...toDeliveryColumns(deliveries, now),
  };
}

const FIND_RECORD = `
  select record_first as first, record_at as at from sessions where id = :sessionId and record_id = :record
  union all
  select end_number - :count::bigint + 1, ended_at from turns where id = :turnId and end_record = :record
  limit 1`;

/** The result of an earlier attempt of the same call. Throws `LostClaimError` when there was none. */
async function requireRecord(
  connection: Connection,
  { session, turn }: Claim,
  { record, count }: Parameters & { readonly record: string },
): Promise<RecordRow> {
  const lookup = { sessionId: session.id, turnId: turn.id, record, count: count ?? 0 };
  const found = await findRow<RecordRow>(connection, FIND_RECORD, lookup);
  if (found === undefined) throw new LostClaimError(session.id);
  return found;
}
