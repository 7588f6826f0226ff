import { type Connection, listRows, runTransaction } from '@plugboard/sqlite';
import type { Knowledge } from './entry.ts';
import { linksIn } from './links.ts';
import { anyEntry, versionOf, versionsOf } from './stored.ts';
import { treeOf } from './tree.ts';
import { archiveEntry, moveEntry, writeEntry } from './write-entry.ts';

/** The tables `knowledge` and `knowledge_versions`. */
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
    write: (write) => runTransaction(connection, () => writeEntry(connection, write, now())),
    move: (move) => runTransaction(connection, () => moveEntry(connection, move, now())),
    archive: (archiving) => runTransaction(connection, () => archiveEntry(connection, archiving, now())),
    linkingTo: (slug) => linkingTo(connection, slug),
  };
}

function linkingTo(connection: Connection, slug: string): string[] {
  return listRows<{ slug: string; body: string }>(
    connection,
    "select slug, body from knowledge where archived_at is null and instr(body, '[[') > 0 order by slug",
  )
    .filter(({ body }) => linksIn(body).includes(slug))
    .map((entry) => entry.slug);
}
