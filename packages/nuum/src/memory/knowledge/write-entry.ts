import { type Connection, findRow, runStatement } from '@plugboard/sqlite';
import { MemoryError } from '../../database/error.ts';
import { toIndexText } from '../search/words.ts';
import type { KnowledgeArchiving, KnowledgeEntry, KnowledgeMove, KnowledgeWrite } from './entry.ts';
import { refuseUnwatched } from './standing.ts';
import { expectedEntry, liveEntry, type StoredEntry, versionOf } from './stored.ts';
import { findDescendants, parentKey } from './tree.ts';

const SLUG = /^[\p{Ll}\p{Lo}\p{Lm}\p{N}][\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}._-]{0,79}$/u;
const MOST_BODY = 200_000;

type Change = Pick<KnowledgeEntry, 'change' | 'by' | 'source'> & { readonly at: number };

/** Creates an entry when `expected` is 0, else writes its next version. */
export function writeEntry(connection: Connection, write: KnowledgeWrite, at: number): KnowledgeEntry {
  refuseBad(write.slug, write.body);
  refuseUnwatched(write.slug, write.by);
  const { by, source } = write;
  if (write.expected === 0) {
    const taken = liveEntry(connection, write.slug);
    if (taken !== undefined) refuseTaken(write.slug, taken.version);
    const parent = parentKey(connection, write.slug, undefined, write.parent ?? null);
    const entry = {
      id: nextKey(connection),
      slug: write.slug,
      parent,
      title: write.title,
      body: write.body,
      version: 1,
    };
    return storeVersion(connection, entry, { change: 'created', by, source, at });
  }
  const found = expectedEntry(connection, write.slug, write.expected);
  const parent =
    write.parent === undefined ? found.parent : parentKey(connection, write.slug, found.id, write.parent);
  const { title, body } = write;
  return storeVersion(
    connection,
    { ...found, parent, title, body, version: found.version + 1 },
    { change: 'updated', by, source, at },
  );
}

/** Moves an entry with its descendants under another parent, or renames it. */
export function moveEntry(connection: Connection, move: KnowledgeMove, at: number): KnowledgeEntry {
  const found = expectedEntry(connection, move.slug, move.expected);
  const slug = move.to ?? move.slug;
  refuseBad(slug, '');
  for (const one of [slug, move.slug]) refuseUnwatched(one, move.by);
  const taken = slug === move.slug ? undefined : liveEntry(connection, slug);
  if (taken !== undefined) refuseTaken(slug, taken.version);
  const parent =
    move.parent === undefined ? found.parent : parentKey(connection, move.slug, found.id, move.parent);
  const moved = { ...found, slug, parent, version: found.version + 1 };
  return storeVersion(connection, moved, { change: 'moved', by: move.by, source: undefined, at });
}

/** Archives an entry: it is found no more, and `read` returns it until another entry takes its slug. */
export function archiveEntry(connection: Connection, archiving: KnowledgeArchiving, at: number): string[] {
  const found = expectedEntry(connection, archiving.slug, archiving.expected);
  const below = findDescendants(connection, found.id);
  for (const { slug } of [found, ...below]) refuseUnwatched(slug, archiving.by);
  if (below.length > 0 && archiving.withChildren !== true) {
    const names = below.map(({ slug }) => `"${slug}"`).join(', ');
    throw new MemoryError(
      'invalid',
      `Under "${archiving.slug}" stand ${names}: move them, or archive them with it.`,
    );
  }
  const change: Change = { change: 'archived', by: archiving.by, source: undefined, at };
  for (const { slug } of [...below, found]) {
    const entry = liveEntry(connection, slug);
    if (entry !== undefined) storeVersion(connection, { ...entry, version: entry.version + 1 }, change);
  }
  return [found.slug, ...below.map(({ slug }) => slug)];
}

function refuseBad(slug: string, body: string): void {
  if (!SLUG.test(slug)) {
    throw new MemoryError(
      'invalid',
      `"${slug}" is no slug: take 1 to 80 small letters, digits, dots, hyphens or underscores, such as "build-steps".`,
    );
  }
  if (body.length > MOST_BODY) {
    throw new MemoryError(
      'invalid',
      `The body of "${slug}" is longer than ${MOST_BODY} characters: divide it.`,
    );
  }
}

function refuseTaken(slug: string, version: number): never {
  throw new MemoryError(
    'conflict',
    `There is an entry "${slug}" already, at version ${version}: read it, then write with that version.`,
  );
}

function nextKey(connection: Connection): number {
  return findRow<{ id: number }>(connection, 'select coalesce(max(id), 0) + 1 as id from knowledge')?.id ?? 1;
}

/** Writes the entry, its version and its words for the search index. */
function storeVersion(connection: Connection, given: StoredEntry, change: Change): KnowledgeEntry {
  const entry = { ...given, title: given.title.toWellFormed(), body: given.body.toWellFormed() };
  const archived = change.change === 'archived' ? change.at : null;
  runStatement(
    connection,
    `insert into knowledge (id, slug, parent, title, body, version, created_at, updated_at, archived_at)
     values (:id, :slug, :parent, :title, :body, :version, :at, :at, :archived)
     on conflict (id) do update set slug = :slug, parent = :parent, title = :title, body = :body, version = :version,
       updated_at = :at, archived_at = :archived`,
    { ...entry, at: change.at, archived },
  );
  recordVersion(connection, entry, change);
  indexEntry(
    connection,
    entry.id,
    archived === null ? `${entry.slug}\n${entry.title}\n${entry.body}` : undefined,
  );
  const written = versionOf(connection, entry.id);
  if (written === undefined) throw new Error(`The entry "${entry.slug}" was not written.`);
  return written;
}

function recordVersion(connection: Connection, entry: StoredEntry, change: Change): void {
  runStatement(
    connection,
    `insert into knowledge_versions
     values (:id, :version, :change, :slug, (select slug from knowledge where id = :parent), :title, :body, :by,
       :from, :to, :at)`,
    {
      ...{ ...entry, change: change.change, by: change.by, at: change.at },
      from: change.source?.from ?? null,
      to: change.source?.to ?? null,
    },
  );
}

/** Replaces the words of an entry in the search index; without `text` removes them. */
export function indexEntry(connection: Connection, id: number, text: string | undefined): void {
  runStatement(connection, 'delete from knowledge_words where rowid = :id', { id });
  if (text === undefined) return;
  runStatement(connection, 'insert into knowledge_words (rowid, text) values (:id, :text)', {
    id,
    text: toIndexText(text),
  });
}
