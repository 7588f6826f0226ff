import type { Answer, AskEnded, Event, Question } from '@plugboard/protocol';
import type { AskRecords, StoredAsk } from '../../../contract/asks.ts';
import { StoreError } from '../../../contract/errors.ts';
import { storableJson } from '../../../storable.ts';
import { type Connection, findRow, listRows, runStatement, type Transaction } from '../connection.ts';
import { type Context, keyOf } from '../context.ts';

interface AskRow {
  readonly seq: number;
  readonly id: string;
  readonly session_id: string;
  readonly turn_id: string;
  readonly agent: string;
  readonly question: string;
  readonly state: StoredAsk['state'];
  readonly asked_at: number;
  readonly ended_at: number | null;
  readonly answer: string | null;
}

const ASKS = `
  select asks.*, turns.id as turn_id, turns.agent as agent, sessions.id as session_id
  from asks join turns on turns.seq = asks.turn join sessions on sessions.seq = asks.session`;

/** The questions of a store. */
export function createAskRecords({ read }: Context): AskRecords {
  return {
    get: (id) =>
      read(async (connection) => {
        const found = await findAsk(connection, id);
        return found === undefined ? undefined : toAsk(found);
      }),
    list: ({ state, sessionId, limit, before }) =>
      read(async (connection) => {
        const last = before === undefined ? undefined : await findAsk(connection, before);
        if (before !== undefined && last === undefined)
          throw new StoreError('not-found', `There is no question ${before}.`);
        const page = { limit, before: last?.seq ?? Number.MAX_SAFE_INTEGER };
        return (await listAsks(connection, { ...page, state, sessionId })).map(toAsk);
      }),
  };
}

function findAsk(connection: Connection, id: string): Promise<AskRow | undefined> {
  return findRow<AskRow>(connection, `${ASKS} where asks.id_key = :key`, { key: keyOf(id) });
}

interface Page {
  readonly state: string | undefined;
  readonly sessionId: string | undefined;
  readonly limit: number;
  readonly before: number;
}

/** A statement for each set of conditions, so that each reads an index in its order. */
function listAsks(connection: Connection, { state, sessionId, limit, before }: Page): Promise<AskRow[]> {
  const conditions = [
    'asks.seq < :before',
    ...(sessionId === undefined ? [] : ['sessions.id = :sessionId']),
    ...(state === undefined ? [] : ['asks.state = :state']),
  ];
  return listRows<AskRow>(
    connection,
    `${ASKS} where ${conditions.join(' and ')} order by asks.seq desc limit :limit`,
    {
      limit,
      before,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(state === undefined ? {} : { state }),
    },
  );
}

function toAsk(found: AskRow): StoredAsk {
  return {
    id: found.id,
    sessionId: found.session_id,
    turnId: found.turn_id,
    agent: found.agent,
    question: JSON.parse(found.question) as Question,
    state: found.state,
    askedAt: found.asked_at,
    endedAt: found.ended_at ?? undefined,
    answer: found.answer === null ? undefined : (JSON.parse(found.answer) as Answer),
  };
}

const OPEN = `
  insert into asks (id, id_key, session, turn, question, state, asked_at)
  values (:id, :key, :session, :turn, :question, 'open', :now)
  on conflict (id_key) do nothing`;

// The first end stands.
const END = `
  update asks set state = :state, ended_at = :now, answer = :answer where id_key = :key and state = 'open'`;

/** Stores the state of a question that an `ask` or `ask-ended` event reports. */
export async function storeAsk(
  transaction: Transaction,
  { session, turn }: { readonly session: number; readonly turn: number },
  event: Event,
): Promise<void> {
  if (event.type === 'ask') {
    const { id, question } = event;
    const asked = { id, key: keyOf(id), session, turn, question: storableJson(question) };
    await runStatement(transaction, OPEN, asked);
  } else if (event.type === 'ask-ended') {
    const { id, outcome, answer } = event;
    const answered = answer === undefined ? null : storableJson(answer);
    await runStatement(transaction, END, { key: keyOf(id), state: outcome, answer: answered });
  }
}

const OPEN_OF_TURN = `select id from asks where turn = :turn and state = 'open' order by seq`;

/** The events that end the open questions of a turn whose agent is gone. */
export async function listVoidAsks(connection: Connection, turn: number): Promise<AskEnded[]> {
  const open = await listRows<{ id: string }>(connection, OPEN_OF_TURN, { turn });
  return open.map(({ id }) => ({ type: 'ask-ended', id, outcome: 'void' }));
}
