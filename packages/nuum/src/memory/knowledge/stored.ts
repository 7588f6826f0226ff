import { type Connection, findRow, listRows } from '@plugboard/sqlite';
import { MemoryError } from '../../database/error.ts';
import type { Author, KnowledgeEntry } from './entry.ts';

/** A row of `knowledge`. */
export interface StoredEntry {
  readonly id: number;
  readonly slug: string;
  readonly parent: number | null;
  readonly title: string;
  readonly body: string;
  readonly version: number;
}

interface StoredVersion {
  readonly slug: string;
  readonly parent: string | null;
  readonly title: string;
  readonly body: string;
  readonly version: number;
  readonly change: KnowledgeEntry['change'];
  readonly author: Author;
  readonly fromMessage: number | null;
  readonly toMessage: number | null;
  readonly at: number;
}

const VERSION_COLUMNS = `slug, parent, title, body, version, change, written_by as author,
  from_message as fromMessage, to_message as toMessage, at`;

/** The entry with this slug that is not archived. */
export function liveEntry(connection: Connection, slug: string): StoredEntry | undefined {
  return findRow<StoredEntry>(
    connection,
    'select id, slug, parent, title, body, version from knowledge where slug = :slug and archived_at is null',
    { slug },
  );
}

/** The live entry at the version `expected`. Throws `not-found` or `conflict`. */
export function expectedEntry(connection: Connection, slug: string, expected: number): StoredEntry {
  const found = liveEntry(connection, slug);
  if (found === undefined) throw new MemoryError('not-found', `There is no entry "${slug}".`);
  if (found.version === expected) return found;
  throw new MemoryError(
    'conflict',
    `The entry "${slug}" is at version ${found.version}, not ${expected}: read it again, then write with that version.`,
  );
}

/** The live entry with this slug, or else the entry with it that was archived last. */
export function anyEntry(connection: Connection, slug: string): { readonly id: number } | undefined {
  return findRow<{ id: number }>(
    connection,
    `select id from knowledge where slug = :slug
     order by archived_at is not null, archived_at desc, id desc limit 1`,
    { slug },
  );
}

/** Oldest first. */
export function versionsOf(connection: Connection, id: number): KnowledgeEntry[] {
  return listRows<StoredVersion>(
    connection,
    `select ${VERSION_COLUMNS} from knowledge_versions where entry = :id order by version`,
    { id },
  ).map(entryOf);
}

/** One version of an entry; the last without `version`. */
export function versionOf(connection: Connection, id: number, version?: number): KnowledgeEntry | undefined {
  const found = findRow<StoredVersion>(
    connection,
    `select ${VERSION_COLUMNS} from knowledge_versions where entry = :id and (:version is null or version = :version)
     order by version desc limit 1`,
    { id, version: version ?? null },
  );
  return found && entryOf(found);
}

function entryOf(stored: StoredVersion): KnowledgeEntry {
  const { slug, title, body, version, change, author, fromMessage, toMessage, at } = stored;
  const source =
    fromMessage === null || toMessage === null ? undefined : { from: fromMessage, to: toMessage };
  return { slug, parent: stored.parent ?? undefined, title, body, version, change, by: author, source, at };
}
