import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runTransaction } from '@plugboard/sqlite';
import { type Connection, openStoreConnection } from '../../src/drivers/sqlite/connection.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { documentOf, indexNext, indexText, TITLE } from '../../src/drivers/sqlite/search/documents.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const DRIVER = join(ROOT, 'packages', 'store', 'src', 'drivers', 'sqlite');
const CACHE = join(ROOT, 'node_modules', '.cache', 'large-store');

/** Messages of people and agents in one session. */
const PER_SESSION = 100;

/** The time of the first message; each turn begins a second after the one before. */
export const LARGE_STORE_BEGAN = 1_700_000_000_000;

/**
 * Copies a SQLite store with `messages` messages into `file`. Half are of people, each answered in a turn of its own; the turns of
 * different sessions alternate. It is made once and kept in a cache that changes with the schema.
 */
export async function copyLargeStore(messages: number, file: string): Promise<void> {
  copyFileSync(await makeOnce(messages), file);
}

/** Vitest calls this before the first deep test: two test files must not both make the store. */
export async function setup(): Promise<void> {
  await makeOnce(1_000_000);
}

async function makeOnce(messages: number): Promise<string> {
  const made = join(CACHE, `${messages}-${fingerprint()}.db`);
  if (!existsSync(made)) {
    mkdirSync(CACHE, { recursive: true });
    for (const old of globSync(`${messages}-*`, { cwd: CACHE })) rmSync(join(CACHE, old));
    await makeLargeStore(messages, `${made}.partial`);
    renameSync(`${made}.partial`, made);
  }
  return made;
}

/** Changes with everything that decides what is in the file. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const files = globSync(['migrations/*.sql', 'search/*.ts'], { cwd: DRIVER }).sort();
  for (const file of [import.meta.filename, ...files.map((name) => join(DRIVER, name))])
    hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

/** A vocabulary in which few words are very common and many are rare, as in any language. */
export function createVocabulary(seed = 7): {
  words: readonly string[];
  draw: () => string;
  random: () => number;
} {
  let state = seed;
  const random = (): number => {
    // Mulberry32: small, and without the short cycles of a linear congruence.
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const again = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((again ^ (again >>> 14)) >>> 0) / 4_294_967_296;
  };
  const letters = 'etaoinshrdlucmfwypvbgkqjxz';
  const letter = (): string => letters[Math.floor(26 * random() * random())] ?? 'e';
  const words = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 8) }, letter).join(''),
  );
  return { words, random, draw: () => words[Math.floor(words.length * random() ** 4)] ?? 'e' };
}

async function makeLargeStore(messages: number, file: string): Promise<void> {
  await openSqlite(file, { clock: () => LARGE_STORE_BEGAN }).close();
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma foreign_keys = off; begin');
  const sessions = Math.max(1, messages / PER_SESSION);
  insertSessions(database, sessions);
  insertTurns(database, messages / 2, sessions);
  insertDeliveries(database, messages / 2, sessions);
  database.exec('commit');
  database.close();
  rmSync(`${file}.lock`);
  const connection = openStoreConnection(file);
  connection.database.exec('pragma synchronous = off');
  runTransaction(connection, () => indexTitles(connection, sessions));
  while (runTransaction(connection, () => indexNext(connection, 4_096)) > 0);
  connection.database.exec(
    'pragma wal_checkpoint(truncate); pragma journal_mode = delete; pragma journal_mode = wal',
  );
  connection.database.close();
}

function indexTitles(connection: Connection, sessions: number): void {
  for (let seq = 1; seq <= sessions; seq += 1)
    indexText(connection, documentOf(seq, TITLE), `Conversation ${seq}`);
}

/** Every session has had as many turns, nothing waits and nothing runs. */
function insertSessions(database: DatabaseSync, sessions: number): void {
  const insert = database.prepare(`
    insert into sessions (seq, id, channel, place, agent, title, created_at, updated_at, last_event, fence, closed)
    values (:seq, :id, 'web', :place, 'echo', :title, :at, :updated, :last, :turns, :closed)`);
  const turns = PER_SESSION / 2;
  for (let seq = 1; seq <= sessions; seq += 1) {
    const updated = LARGE_STORE_BEGAN + ((turns - 1) * sessions + seq) * 1_000;
    const at = LARGE_STORE_BEGAN + seq * 1_000;
    const title = `Conversation ${seq}`;
    insert.run({
      seq,
      id: `s${seq}`,
      place: `p${seq}`,
      title,
      at,
      updated,
      last: turns * 3,
      turns,
      closed: seq % 10 === 0 ? 1 : 0,
    });
  }
}

function insertTurns(database: DatabaseSync, turns: number, sessions: number): void {
  const event = database.prepare(
    'insert into events (session, number, turn, at, body) values (?, ?, ?, ?, ?)',
  );
  const message = database.prepare(
    "insert into messages (seq, id, source, session, number, state, turn) values (?, ?, ?, ?, ?, 'taken', ?)",
  );
  const turn = database.prepare(`
    insert into turns (seq, id, session, agent, message, state, started_at, ended_at, after_number, end_number)
    values (?, ?, ?, 'echo', ?, 'success', ?, ?, ?, ?)`);
  const { draw, random } = createVocabulary();
  const say = (): string => Array.from({ length: 4 + Math.floor(random() * 12) }, draw).join(' ');
  for (let seq = 1; seq <= turns; seq += 1) {
    const session = 1 + ((seq - 1) % sessions);
    const before = Math.floor((seq - 1) / sessions) * 3;
    const at = LARGE_STORE_BEGAN + seq * 1_000;
    const text = say();
    event.run(
      session,
      before + 1,
      null,
      at,
      JSON.stringify({ type: 'user', messageId: `m${seq}`, text: say(), sender: 'ada', attachments: [] }),
    );
    message.run(seq, `m${seq}`, `web:${seq}`, session, before + 1, seq);
    event.run(session, before + 2, seq, at + 500, JSON.stringify({ type: 'message', text, media: [] }));
    event.run(session, before + 3, seq, at + 500, JSON.stringify({ type: 'end', outcome: 'success', text }));
    turn.run(seq, `t${seq}`, session, seq, at, at + 500, before + 1, before + 3);
  }
}

/** Every answer was delivered. */
function insertDeliveries(database: DatabaseSync, turns: number, sessions: number): void {
  const insert = database.prepare(`
    insert into deliveries (id, session, turn, channel, place, body, state, attempts, next_at, expires_at)
    values (:id, :session, :turn, 'web', :place, '{"text":""}', 'sent', 1, :at, :at)`);
  for (let turn = 1; turn <= turns; turn += 1) {
    const session = 1 + ((turn - 1) % sessions);
    insert.run({ id: `d${turn}`, session, turn, place: `p${session}`, at: LARGE_STORE_BEGAN + turn * 1_000 });
  }
}
