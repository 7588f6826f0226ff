/** Who wrote a version of an entry. */
export type Author = 'distiller' | 'agent' | 'research' | 'person';

/** Messages that an entry was made from. */
export interface Source {
  readonly from: number;
  readonly to: number;
}

/** An entry as it was at one version. */
export interface KnowledgeEntry {
  readonly slug: string;
  /** The slug of the entry that it stands under. */
  readonly parent: string | undefined;
  readonly title: string;
  readonly body: string;
  /** 1 at first, and one more with every change. */
  readonly version: number;
  readonly change: 'created' | 'updated' | 'moved' | 'archived';
  readonly by: Author;
  readonly source: Source | undefined;
  readonly at: number;
}

/** An entry in the tree. */
export interface KnowledgeNode {
  readonly slug: string;
  /** The slugs from the top down to it, with a slash between them. */
  readonly path: string;
  readonly title: string;
  readonly version: number;
  readonly updatedAt: number;
}

/** What a write says. */
export interface KnowledgeWrite {
  readonly slug: string;
  /** `null` puts it at the top; left out, an entry stays where it is. */
  readonly parent?: string | null;
  readonly title: string;
  readonly body: string;
  /** The version that the writer has seen; 0 for an entry that must not be there yet. */
  readonly expected: number;
  readonly by: Author;
  readonly source?: Source;
}

/** Where an entry goes, and how it is called there. */
export interface KnowledgeMove {
  readonly slug: string;
  readonly expected: number;
  readonly by: Author;
  readonly to?: string;
  readonly parent?: string | null;
}

/** What is laid aside. */
export interface KnowledgeArchiving {
  readonly slug: string;
  readonly expected: number;
  readonly by: Author;
  /** Also what stands under it; without it, an entry with anything under it is refused. */
  readonly withChildren?: boolean;
}

/** Long-term knowledge: a tree of entries of which every version is kept. All writes throw a MemoryError or are done. */
export interface Knowledge {
  /** All that is not archived, by path. */
  tree(): readonly KnowledgeNode[];
  /** The entry now, or at a version; an archived one when no other has taken its slug. */
  read(slug: string, version?: number): KnowledgeEntry | undefined;
  /** All versions, oldest first. */
  history(slug: string): readonly KnowledgeEntry[];
  write(write: KnowledgeWrite): KnowledgeEntry;
  move(move: KnowledgeMove): KnowledgeEntry;
  archive(archiving: KnowledgeArchiving): readonly string[];
  /** Slugs of the entries with a link to this one. */
  linkingTo(slug: string): readonly string[];
}
