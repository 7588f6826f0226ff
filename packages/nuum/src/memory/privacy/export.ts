import { type Connection, listRows, withSnapshot } from '@plugboard/sqlite';
import { getPresent } from '../agent/present.ts';
import type { Memory } from '../memory.ts';
import { queuedMessages } from '../messages/queued.ts';
import { COLUMNS, rememberedOf, type Stored } from '../messages/stored.ts';
import { type StoredSummary, SUMMARY_COLUMNS, summaryOf } from '../summaries/stored.ts';

/** The rows that are in memory at a time. */
const PAGE = 500;

/**
 * The whole memory as lines of JSON: the file, settings, messages, queued messages marked with `queued`, summaries, and
 * all versions of knowledge. Writes during the export may be included or not.
 */
export function* exportMemory(memory: Memory): Generator<string, void, undefined> {
  const { connection, session, now } = memory;
  yield toLine({ type: 'memory', format: 1, session, exportedAt: now() });
  yield toLine({ type: 'present', ...getPresent(connection) });
  for (const setting of listRows<object>(connection, 'select name, value from settings order by name')) {
    yield toLine({ type: 'setting', ...setting });
  }
  yield* exportMessages(connection);
  for (const stored of readPaged<StoredSummary>(connection, `select ${SUMMARY_COLUMNS} from summaries`)) {
    const { level, madeBy, parent } = stored;
    yield toLine({ type: 'summary', ...summaryOf(stored), level, madeBy, parent });
  }
  yield* exportKnowledge(connection);
}

function* exportMessages(connection: Connection): Generator<string, void, undefined> {
  for (let last = 0; ; ) {
    // A queued message becomes a message in one transaction: the last page and the queue are read in one snapshot, too.
    const { page, queued } = withSnapshot(connection, () => {
      const page = pageAfter<Stored>(connection, `select ${COLUMNS} from messages`, last);
      return { page, queued: page.length < PAGE ? queuedMessages(connection) : undefined };
    });
    for (const stored of page) yield toLine({ type: 'message', ...rememberedOf(stored) });
    for (const one of queued ?? []) yield toLine({ type: 'message', kind: 'user', ...one, queued: true });
    if (queued !== undefined) return;
    last = page.at(-1)?.number ?? last;
  }
}

function* exportKnowledge(connection: Connection): Generator<string, void, undefined> {
  for (const { id } of listRows<{ id: number }>(connection, 'select id from knowledge order by id')) {
    const versions = listRows<object>(
      connection,
      `select entry, version, change, slug, parent, title, body, written_by as "by", from_message as fromMessage,
         to_message as toMessage, at from knowledge_versions where entry = :id order by version`,
      { id },
    );
    for (const version of versions) yield toLine({ type: 'knowledge', ...version });
  }
}

/** Reads a page at a time, so that no statement stays open while the caller waits for its output. */
function* readPaged<Row extends { readonly number: number }>(
  connection: Connection,
  select: string,
): Generator<Row, void, undefined> {
  for (let last = 0; ; ) {
    const page = pageAfter<Row>(connection, select, last);
    yield* page;
    const end = page.at(-1);
    if (end === undefined) return;
    last = end.number;
  }
}

function pageAfter<Row>(connection: Connection, select: string, last: number): Row[] {
  return listRows<Row>(connection, `${select} where number > :last order by number limit ${PAGE}`, { last });
}

function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
