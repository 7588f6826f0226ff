export type Author = 'distiller' | 'agent' | 'research' | 'person';

/** The messages that an entry was made from. */
export interface Source {
  readonly from: number;
  readonly to: number;
}

/** One version of an entry. */
export interface KnowledgeEntry {
  readonly slug: string;
  readonly parent: string | undefined;
  readonly title: string;
  readonly body: string;
  /** Counts from 1. */
  readonly version: number;
  readonly change: 'created' | 'updated' | 'moved' | 'archived';
  readonly by: Author;
  readonly source: Source | undefined;
  readonly at: number;
}

/** An entry in the tree, without its body. */
export interface KnowledgeNode {
  readonly slug: string;
  /** The slugs from the root to the entry, separated by slashes. */
  readonly path: string;
  readonly title: string;
  readonly version: number;
  readonly updatedAt: number;
}

/** A new entry or a new version. */
export interface KnowledgeWrite {
  readonly slug: string;
  /** `null` moves the entry to the root; undefined leaves it in its place. */
  readonly parent?: string | null;
  readonly title: string;
  readonly body: string;
  /** The version that the writer has read; 0 to create an entry. Another version is a conflict. */
  readonly expected: number;
  readonly by: Author;
  readonly source?: Source;
}

/** A new parent or a new slug. */
export interface KnowledgeMove {
  readonly slug: string;
  readonly expected: number;
  readonly by: Author;
  readonly to?: string;
  readonly parent?: string | null;
}

export interface KnowledgeArchiving {
  readonly slug: string;
  readonly expected: number;
  readonly by: Author;
  /** Archives the descendants, too. Without it, an entry with descendants is refused. */
  readonly withChildren?: boolean;
}

/**
 * Long-term knowledge: a tree of entries with all their versions. Writes are done when they return, or throw a
 * `MemoryError`.
 */
export interface Knowledge {
  /** Entries that are not archived, ordered by path. */
  tree(): readonly KnowledgeNode[];
  /** The entry, or one version of it. An archived entry only when no other has taken its slug. */
  read(slug: string, version?: number): KnowledgeEntry | undefined;
  /** Oldest first. */
  history(slug: string): readonly KnowledgeEntry[];
  write(write: KnowledgeWrite): KnowledgeEntry;
  move(move: KnowledgeMove): KnowledgeEntry;
  archive(archiving: KnowledgeArchiving): readonly string[];
  /** Slugs of the entries with a link to this one. */
  linkingTo(slug: string): readonly string[];
}
