import { keyOf } from '../drivers/postgres/context.ts';
import { changed, derived, flag, keyed, movedKey, same, type TableMove } from './move-table.ts';

const SEQ = { sqlite: ['seq'], postgres: ['seq'] };
const seq = same('seq', 'bigint');
const session = same('session', 'bigint');

/** All tables with the state of a gateway, in the order of their foreign keys. `move/columns.slow.test.ts` holds them to the schemas. */
export const TABLES: readonly TableMove[] = [
  {
    name: 'sessions',
    key: SEQ,
    isNumbered: true,
    columns: [
      seq,
      ...['id', 'channel', 'place', 'agent', 'title', 'titled_by', 'agent_session', 'chosen'].map((name) =>
        same(name, 'text'),
      ),
      derived('place_key', 'text', ({ place }) => keyOf(String(place))),
      same('cost_amount', 'double precision'),
      same('cost_currency', 'text'),
      ...['created_at', 'updated_at', 'last_event', 'oldest_waiting', 'rank', 'lease_until', 'fence'].map(
        (name) => same(name, 'bigint'),
      ),
      same('waiting', 'integer'),
      same('principal', 'text'),
      flag('running'),
      flag('closed'),
      same('node', 'text'),
      // `Turns.record` reads these after a lost answer; no holder of a claim survives a move.
      derived('record_id', 'text', () => null),
      derived('record_first', 'bigint', () => null),
      derived('record_at', 'bigint', () => null),
    ],
  },
  {
    name: 'events',
    key: { sqlite: ['seq'], postgres: ['session', 'number'] },
    isNumbered: false,
    assigned: { sqlite: ['seq'] },
    columns: [
      session,
      ...['number', 'turn', 'at'].map((name) => same(name, 'bigint')),
      derived('type', 'text', ({ body }) => typeOfEvent(String(body))),
      same('body', 'text'),
    ],
  },
  {
    name: 'messages',
    key: SEQ,
    isNumbered: true,
    columns: [
      seq,
      // The place of a command in `messages` is named after its key.
      changed(same('id', 'text'), ({ id, source }) =>
        String(id).startsWith('command:') ? `command:${movedKey(String(source))}` : (id ?? null),
      ),
      keyed('source', 'source_key'),
      session,
      same('number', 'bigint'),
      same('principal', 'text'),
      same('state', 'text'),
      same('turn', 'bigint'),
      flag('given'),
    ],
  },
  {
    name: 'turns',
    key: SEQ,
    isNumbered: true,
    columns: [
      seq,
      same('id', 'text'),
      session,
      same('agent', 'text'),
      same('message', 'bigint'),
      same('state', 'text'),
      ...['started_at', 'ended_at', 'after_number', 'end_number'].map((name) => same(name, 'bigint')),
      derived('end_record', 'text', () => null),
    ],
  },
  {
    name: 'deliveries',
    key: SEQ,
    isNumbered: true,
    columns: [
      seq,
      same('id', 'text'),
      session,
      same('turn', 'bigint'),
      ...['channel', 'place', 'body', 'state', 'node', 'platform_id', 'problem', 'settled_by'].map((name) =>
        same(name, 'text'),
      ),
      derived('place_key', 'text', ({ place }) => keyOf(String(place))),
      same('attempts', 'integer'),
      ...['next_at', 'expires_at', 'settled_at'].map((name) => same(name, 'bigint')),
    ],
  },
  {
    name: 'commands',
    key: { sqlite: ['source'], postgres: ['source_key'] },
    isNumbered: false,
    columns: [
      keyed('source', 'source_key'),
      session,
      // Null in commands of early versions.
      changed(same('said', 'text'), ({ said }) => said ?? ''),
      same('reply', 'text'),
    ],
  },
  {
    name: 'notices',
    key: { sqlite: ['id'], postgres: ['id_key'] },
    isNumbered: false,
    columns: [keyed('id', 'id_key'), session, same('number', 'bigint')],
  },
  {
    name: 'asks',
    key: SEQ,
    isNumbered: true,
    columns: [
      seq,
      same('id', 'text'),
      derived('id_key', 'text', ({ id }) => keyOf(String(id))),
      session,
      same('turn', 'bigint'),
      ...['question', 'state', 'answer'].map((name) => same(name, 'text')),
      same('asked_at', 'bigint'),
      same('ended_at', 'bigint'),
    ],
  },
  {
    name: 'offers',
    key: { sqlite: ['session'], postgres: ['session'] },
    isNumbered: false,
    columns: [session, same('options', 'text'), same('commands', 'text')],
  },
  {
    name: 'errands',
    key: { sqlite: ['session'], postgres: ['session'] },
    isNumbered: false,
    columns: [session, same('agent', 'text')],
  },
  {
    name: 'media',
    key: { sqlite: ['id'], postgres: ['id'] },
    isNumbered: false,
    columns: [
      ...['id', 'name', 'type', 'file'].map((name) => same(name, 'text')),
      session,
      same('size', 'bigint'),
      same('created_at', 'bigint'),
    ],
  },
  {
    name: 'tokens',
    key: { sqlite: ['id'], postgres: ['id'] },
    isNumbered: false,
    columns: [
      ...['id', 'hash', 'name', 'scopes'].map((name) => same(name, 'text')),
      ...['created_at', 'expires_at', 'last_used_at'].map((name) => same(name, 'bigint')),
    ],
  },
  {
    name: 'people',
    key: SEQ,
    isNumbered: true,
    columns: [
      seq,
      ...['channel', 'sender', 'name', 'place', 'state', 'code', 'paired_by'].map((name) =>
        same(name, 'text'),
      ),
      ...['asked_at', 'expires_at', 'paired_at'].map((name) => same(name, 'bigint')),
    ],
  },
  {
    name: 'invitations',
    key: { sqlite: ['code'], postgres: ['code'] },
    isNumbered: false,
    columns: [
      ...['code', 'channel', 'made_by'].map((name) => same(name, 'text')),
      same('expires_at', 'bigint'),
    ],
  },
  {
    name: 'spending',
    key: { sqlite: ['day', 'principal'], postgres: ['day', 'principal'] },
    isNumbered: false,
    columns: [
      ...['day', 'principal', 'currency'].map((name) => same(name, 'text')),
      same('turns', 'bigint'),
      same('amount', 'double precision'),
    ],
  },
];

/** Tables that are not copied, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  checks: 'a row that a check of the disk writes',
  migrations: 'the target has its own; `createdAt` is carried over',
  plugboard_migrations: 'the target has its own; `createdAt` is carried over',
  plugboard_move: 'the progress of a move',
  indexed: 'how far the search index of SQLite is, which is built anew',
  said: 'what a search compares, which is derived from events and titles',
  said_short: 'an index of SQLite over the same texts',
  nodes: 'the gateways that use the database',
  node_questions: 'what they ask each other',
  small_files: 'bytes of files, which go with media',
};

function typeOfEvent(body: string): string {
  return String((JSON.parse(body) as { type?: unknown }).type);
}
