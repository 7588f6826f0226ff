import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';

/** Texts that formats, shells and databases treat differently. */
export const NASTY = [
  'tab\there',
  'line\nend\r\n',
  'back\\slash \\N \\.',
  'quote \' " `',
  '👋🏽 grün 日本',
  '{"a":[1]}',
  '%_$1',
  '',
];

/** All rows of a table, in the order of `key`. */
export function rowsOf(file: string, table: string, key: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(`select * from ${table} order by ${key}`).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

/** Makes a store whose tables have rows in every state, with no column that is null, 0 or empty in all of them. */
export async function makeFullStore(file: string, { events = 40 } = {}): Promise<void> {
  await openSqlite(file, { clock: () => 1_700_000_000_000 }).close();
  const database = new DatabaseSync(file);
  database.exec('pragma foreign_keys = on; begin');
  const put = (table: string, row: Readonly<Record<string, SQLInputValue>>): void => {
    const columns = Object.keys(row);
    const places = columns.map((column) => `:${column}`).join(', ');
    database.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`).run(row);
  };
  for (const [at, text] of NASTY.entries()) putSession(put, at + 1, text, events);
  putRest(put);
  database.exec('commit');
  database.close();
}

type Put = (table: string, row: Readonly<Record<string, SQLInputValue>>) => void;

const STATES = ['pending', 'sending', 'sent', 'unknown', 'failed', 'expired'];
const TURNS = ['running', 'success', 'error', 'cancelled', 'timeout', 'interrupted'];
const ASKS = ['open', 'answered', 'expired', 'withdrawn', 'void'];

function putSession(put: Put, seq: number, text: string, events: number): void {
  const isEven = seq % 2 === 0;
  put('sessions', {
    ...{
      seq,
      id: `s${seq}`,
      channel: 'web',
      place: `${text}${'p'.repeat(seq === 3 ? 400 : 1)}`,
      agent: `a${text}`,
    },
    ...{ title: text, titled_by: 'agent', agent_session: text, chosen: JSON.stringify({ mode: text }) },
    ...{
      cost_amount: seq / 3,
      cost_currency: 'EUR',
      created_at: 1_700_000_000_000 + seq,
      updated_at: 1_700_000_100_000 + seq,
    },
    ...{ last_event: events, waiting: 1, oldest_waiting: seq * 10, principal: text, rank: seq },
    ...{
      running: isEven ? 1 : 0,
      closed: seq === 5 ? 1 : 0,
      node: 'north',
      lease_until: 1_700_000_200_000,
      fence: seq,
    },
  });
  for (let number = 1; number <= events; number += 1) {
    const type = number % 3 === 0 ? 'message' : number % 3 === 1 ? 'user' : 'delta';
    const body = JSON.stringify({ type, text: `${text} ${number}`, media: [], messageId: `m${seq}` });
    put('events', { session: seq, number, turn: seq, at: 1_700_000_000_000 + number, body });
  }
  put('messages', {
    ...{
      seq: seq * 10,
      id: `m${seq}`,
      source: `web:${seq}:${text}${'x'.repeat(seq === 2 ? 300 : 0)}`,
      session: seq,
      number: 1,
    },
    ...{
      state: ['waiting', 'taken', 'dropped'][seq % 3] ?? '',
      turn: seq,
      principal: text,
      given: isEven ? 1 : 0,
    },
  });
  put('turns', {
    ...{
      seq,
      id: `t${seq}`,
      session: seq,
      agent: text,
      message: seq * 10,
      state: TURNS[seq % TURNS.length] ?? '',
    },
    ...{ started_at: seq, ended_at: seq + 1, after_number: 1, end_number: events },
  });
  put('deliveries', {
    ...{
      seq,
      id: `d${seq}`,
      session: seq,
      turn: seq,
      channel: 'web',
      place: text,
      body: JSON.stringify({ text }),
    },
    ...{
      state: STATES[seq % STATES.length] ?? '',
      attempts: seq,
      next_at: seq,
      expires_at: seq,
      node: 'north',
    },
    ...{ platform_id: text, problem: text, settled_by: text, settled_at: seq },
  });
  put('commands', { source: `c:${seq}:${text}`, session: seq, said: `/${text}`, reply: text });
  put('notices', { id: `n:${seq}:${text}`, session: seq, number: 2 });
  put('asks', {
    ...{
      seq,
      id: `${seq}${text}`,
      session: seq,
      turn: seq,
      question: JSON.stringify({ text }),
      state: ASKS[seq % ASKS.length] ?? '',
    },
    ...{ asked_at: seq, ended_at: seq + 1, answer: JSON.stringify({ text }) },
  });
  put('offers', { session: seq, options: JSON.stringify([text]), commands: JSON.stringify([text]) });
  put('errands', { session: seq, agent: text });
  put('media', {
    id: `f${seq}`,
    session: seq,
    name: text,
    type: 'text/plain',
    size: seq,
    file: `f${seq}.txt`,
    created_at: seq,
  });
}

function putRest(put: Put): void {
  for (const [at, text] of NASTY.entries()) {
    put('tokens', {
      id: `k${at}`,
      hash: `h${at}`,
      name: text,
      scopes: '["chat"]',
      created_at: at + 1,
      expires_at: at + 2,
      last_used_at: at + 3,
    });
    put('people', {
      ...{
        seq: at + 1,
        channel: 'telegram',
        sender: `${at}${text}`,
        name: text,
        place: text,
        state: at % 2 === 0 ? 'asking' : 'paired',
      },
      ...{ code: `code${at}`, asked_at: at + 1, expires_at: at + 2, paired_at: at + 3, paired_by: text },
    });
    put('invitations', { code: `i${at}`, channel: text, made_by: text, expires_at: at + 1 });
    put('spending', {
      day: `2026-01-0${at}`,
      principal: `${at}${text}`,
      turns: at + 1,
      amount: at / 7,
      currency: 'EUR',
    });
  }
}
