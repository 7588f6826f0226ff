import { type Connection, rows } from '../../database/connection.ts';
import { snapshot } from '../../database/transaction.ts';
import { getPresent } from '../agent/present.ts';
import type { Memory } from '../memory.ts';
import { queuedMessages } from '../messages/queued.ts';
import { COLUMNS, rememberedOf, type Stored } from '../messages/stored.ts';
import { type StoredSummary, SUMMARY_COLUMNS, summaryOf } from '../summaries/stored.ts';

/** So many rows are in memory at a time. */
const PAGE = 500;

/**
 * Everything in a memory, as lines of JSON, each with its newline: what it is first, then settings, messages (those that
 * the model has not seen yet last, marked as queued), summaries and every version of knowledge. What is written meanwhile may be among them or not.
 */
export function* exportMemory(memory: Memory): Generator<string, void, undefined> {
  const { connection, session, now } = memory;
  yield line({ type: 'memory', format: 1, session, exportedAt: now() });
  yield line({ type: 'present', ...getPresent(connection) });
  for (const setting of rows<object>(connection, 'select name, value from settings order by name')) {
    yield line({ type: 'setting', ...setting });
  }
  yield* exportMessages(connection);
  for (const stored of paged<StoredSummary>(connection, `select ${SUMMARY_COLUMNS} from summaries`)) {
    const { level, madeBy, parent } = stored;
    yield line({ type: 'summary', ...summaryOf(stored), level, madeBy, parent });
  }
  yield* exportKnowledge(connection);
}

function* exportMessages(connection: Connection): Generator<string, void, undefined> {
  for (let last = 0; ; ) {
    // What waits becomes a message in one step: the last page and what waits after it must be of the same moment.
    const { page, queued } = snapshot(connection, () => {
      const page = pageAfter<Stored>(connection, `select ${COLUMNS} from messages`, last);
      return { page, queued: page.length < PAGE ? queuedMessages(connection) : undefined };
    });
    for (const stored of page) yield line({ type: 'message', ...rememberedOf(stored) });
    for (const one of queued ?? []) yield line({ type: 'message', kind: 'user', ...one, queued: true });
    if (queued !== undefined) return;
    last = page.at(-1)?.number ?? last;
  }
}

function* exportKnowledge(connection: Connection): Generator<string, void, undefined> {
  for (const { id } of rows<{ id: number }>(connection, 'select id from knowledge order by id')) {
    const versions = rows<object>(
      connection,
      `select entry, version, change, slug, parent, title, body, written_by as "by", from_message as fromMessage,
         to_message as toMessage, at from knowledge_versions where entry = :id order by version`,
      { id },
    );
    for (const version of versions) yield line({ type: 'knowledge', ...version });
  }
}

/** Rows by number, a page at a time, so that no statement stays open while the caller does something else. */
function* paged<Row extends { readonly number: number }>(
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
  return rows<Row>(connection, `${select} where number > :last order by number limit ${PAGE}`, { last });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
