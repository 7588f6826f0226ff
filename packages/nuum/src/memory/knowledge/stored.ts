import { type Connection, row, rows } from '../../database/connection.ts';
import { MemoryError } from '../../database/error.ts';
import type { Author, KnowledgeEntry } from './entry.ts';

/** The live row of an entry. */
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
  return row<StoredEntry>(
    connection,
    'select id, slug, parent, title, body, version from knowledge where slug = :slug and archived_at is null',
    { slug },
  );
}

/** The same, for when it has to be there, at the version that the writer has seen. */
export function expectedEntry(connection: Connection, slug: string, expected: number): StoredEntry {
  const found = liveEntry(connection, slug);
  if (found === undefined) throw new MemoryError('not-found', `There is no entry "${slug}".`);
  if (found.version === expected) return found;
  throw new MemoryError(
    'conflict',
    `The entry "${slug}" is at version ${found.version}, not ${expected}: read it again, then write with that version.`,
  );
}

/** The live entry with this slug, or else the one that was archived last. */
export function anyEntry(connection: Connection, slug: string): { readonly id: number } | undefined {
  return row<{ id: number }>(
    connection,
    `select id from knowledge where slug = :slug
     order by archived_at is not null, archived_at desc, id desc limit 1`,
    { slug },
  );
}

/** All versions of an entry, oldest first. */
export function versionsOf(connection: Connection, id: number): KnowledgeEntry[] {
  return rows<StoredVersion>(
    connection,
    `select ${VERSION_COLUMNS} from knowledge_versions where entry = :id order by version`,
    { id },
  ).map(entryOf);
}

/** An entry at a version, or at the last one. */
export function versionOf(connection: Connection, id: number, version?: number): KnowledgeEntry | undefined {
  const found = row<StoredVersion>(
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
