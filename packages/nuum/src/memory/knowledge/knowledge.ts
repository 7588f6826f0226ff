import { type Connection, rows } from '../../database/connection.ts';
import { transaction } from '../../database/transaction.ts';
import { archiveEntry, moveEntry, writeEntry } from './change.ts';
import type { Knowledge } from './entry.ts';
import { linksIn } from './links.ts';
import { anyEntry, versionOf, versionsOf } from './stored.ts';
import { treeOf } from './tree.ts';

/** The long-term knowledge of a database. */
export function createKnowledge(connection: Connection, now: () => number): Knowledge {
  return {
    tree: () => treeOf(connection),
    read(slug, version) {
      const entry = anyEntry(connection, slug);
      return entry && versionOf(connection, entry.id, version);
    },
    history(slug) {
      const entry = anyEntry(connection, slug);
      return entry === undefined ? [] : versionsOf(connection, entry.id);
    },
    write: (write) => transaction(connection, () => writeEntry(connection, write, now())),
    move: (move) => transaction(connection, () => moveEntry(connection, move, now())),
    archive: (archiving) => transaction(connection, () => archiveEntry(connection, archiving, now())),
    linkingTo: (slug) => linkingTo(connection, slug),
  };
}

function linkingTo(connection: Connection, slug: string): string[] {
  return rows<{ slug: string; body: string }>(
    connection,
    "select slug, body from knowledge where archived_at is null and instr(body, '[[') > 0 order by slug",
  )
    .filter(({ body }) => linksIn(body).includes(slug))
    .map((entry) => entry.slug);
}
