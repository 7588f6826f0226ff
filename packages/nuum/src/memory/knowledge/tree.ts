import { type Connection, findRow, listRows } from '@plugboard/sqlite';
import { MemoryError } from '../../database/error.ts';
import type { KnowledgeNode } from './entry.ts';
import { liveEntry } from './stored.ts';

/** Entries that are not archived, ordered by path. */
export function treeOf(connection: Connection): KnowledgeNode[] {
  return listRows<KnowledgeNode>(
    connection,
    `with recursive tree (id, slug, path, title, version, updatedAt) as (
       select id, slug, slug, title, version, updated_at from knowledge where parent is null and archived_at is null
       union all
       select child.id, child.slug, tree.path || '/' || child.slug, child.title, child.version, child.updated_at
       from tree join knowledge as child on child.parent = tree.id and child.archived_at is null
     )
     select slug, path, title, version, updatedAt from tree order by path`,
  );
}

/**
 * The id of the new parent of an entry. Throws when there is no such entry, or it is a descendant of the entry itself.
 */
export function parentKey(
  connection: Connection,
  slug: string,
  id: number | undefined,
  parent: string | null,
): number | null {
  if (parent === null) return null;
  const found = liveEntry(connection, parent);
  if (found === undefined) {
    throw new MemoryError(
      'not-found',
      `There is no entry "${parent}" to put "${slug}" under: write that one first.`,
    );
  }
  if (id !== undefined && isUnder(connection, found.id, id)) {
    throw new MemoryError(
      'invalid',
      `The entry "${slug}" cannot stand under "${parent}", which stands under it.`,
    );
  }
  return found.id;
}

function isUnder(connection: Connection, id: number, above: number): boolean {
  const found = findRow(
    connection,
    `with recursive up (id) as (
       select :id union select knowledge.parent from up join knowledge on knowledge.id = up.id
       where knowledge.parent is not null
     ) select 1 from up where id = :above`,
    { id, above },
  );
  return found !== undefined;
}

/** All descendants of an entry, deepest first. */
export function findDescendants(connection: Connection, id: number): { id: number; slug: string }[] {
  return listRows<{ id: number; slug: string }>(
    connection,
    `with recursive down (id, slug, depth) as (
       select id, slug, 1 from knowledge where parent = :id and archived_at is null
       union all
       select child.id, child.slug, depth + 1 from down
       join knowledge as child on child.parent = down.id and child.archived_at is null
     ) select id, slug from down order by depth desc, slug`,
    { id },
  );
}
