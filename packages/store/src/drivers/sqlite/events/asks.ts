import type { Answer, AskEnded, Event, Question } from '@plugboard/protocol';
import type { AskRecords, StoredAsk } from '../../../contract/asks.ts';
import { StoreError } from '../../../contract/errors.ts';
import { storableJson, storableText } from '../../../storable.ts';
import { type Connection, findRow, listRows, runStatement } from '../connection.ts';
import type { Context } from '../context.ts';

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
  select asks.*, turns.id as turn_id, turns.agent as agent,
    (select id from sessions where seq = asks.session) as session_id
  from asks join turns on turns.seq = asks.turn`;

/** The questions of a store. */
export function createAskRecords({ connection, read }: Context): AskRecords {
  return {
    get: (id) =>
      read(() => {
        const found = findAsk(connection, id);
        return found === undefined ? undefined : toAsk(found);
      }),
    list: ({ state, sessionId, limit, before }) =>
      read(() => {
        const last = before === undefined ? undefined : findAsk(connection, before);
        if (before !== undefined && last === undefined)
          throw new StoreError('not-found', `There is no question ${before}.`);
        const page = { limit, before: last?.seq ?? Number.MAX_SAFE_INTEGER };
        return listAsks(connection, { ...page, state, sessionId }).map(toAsk);
      }),
  };
}

function findAsk(connection: Connection, id: string): AskRow | undefined {
  return findRow<AskRow>(connection, `${ASKS} where asks.id = :id`, { id: storableText(id) });
}

interface Page {
  readonly state: string | undefined;
  readonly sessionId: string | undefined;
  readonly limit: number;
  readonly before: number;
}

/** A statement for each set of conditions, so that each reads an index in its order. */
function listAsks(connection: Connection, { state, sessionId, limit, before }: Page): AskRow[] {
  const conditions = [
    'asks.seq < :before',
    ...(sessionId === undefined ? [] : ['asks.session = (select seq from sessions where id = :sessionId)']),
    ...(state === undefined ? [] : ['asks.state = :state']),
  ];
  return listRows<AskRow>(
    connection,
    `${ASKS} where ${conditions.join(' and ')} order by asks.seq desc limit :limit`,
    {
      limit,
      before,
      ...(sessionId === undefined ? {} : { sessionId: storableText(sessionId) }),
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
  insert into asks (id, session, turn, question, state, asked_at)
  values (:id, :session, :turn, :question, 'open', :at)
  on conflict (id) do nothing`;

// The first end stands.
const END = `
  update asks set state = :state, ended_at = :at, answer = :answer where id = :id and state = 'open'`;

/** Stores the state of a question that an `ask` or `ask-ended` event reports. */
export function storeAsk(
  connection: Connection,
  { session, turn, at }: { readonly session: number; readonly turn: number; readonly at: number },
  event: Event,
): void {
  if (event.type === 'ask') {
    const { id, question } = event;
    runStatement(connection, OPEN, {
      id: storableText(id),
      session,
      turn,
      at,
      question: storableJson(question),
    });
  } else if (event.type === 'ask-ended') {
    const { id, outcome, answer } = event;
    const answered = answer === undefined ? null : storableJson(answer);
    runStatement(connection, END, { id: storableText(id), state: outcome, at, answer: answered });
  }
}

const OPEN_OF_TURN = `select id from asks where turn = :turn and state = 'open' order by seq`;

/** The events that end the open questions of a turn whose agent is gone. */
export function listVoidAsks(connection: Connection, turn: number): AskEnded[] {
  const open = listRows<{ id: string }>(connection, OPEN_OF_TURN, { turn });
  return open.map(({ id }) => ({ type: 'ask-ended', id, outcome: 'void' }));
}
