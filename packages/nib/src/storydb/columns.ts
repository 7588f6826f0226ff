/** The columns of each file of the story database, in the order of a new file. */
export const COLUMNS = {
  scenes: ['scene', 'pov', 'scene_type', 'location', 'date', 'time', 'summary', 'checksum', 'indexed_at'],
  facts: ['id', 'scene', 'category', 'summary', 'detail', 'source_text', 'date', 'time', 'indexed_at'],
  scene_characters: ['scene', 'character', 'role', 'indexed_at'],
  locations: ['id', 'name', 'type', 'description', 'first_scene', 'indexed_at'],
  timeline: ['id', 'date', 'time', 'event', 'detail', 'scene', 'location', 'notes'],
} as const;

/** The name of one of the 5 files, without `.csv`. */
export type TableName = keyof typeof COLUMNS;

/** A row by its columns; columns added by other programs are kept too. */
export type Row<N extends TableName> = Readonly<Record<(typeof COLUMNS)[N][number], string>>;

/** All 5 tables, in the order of reads and writes. */
export const TABLES: readonly TableName[] = ['scenes', 'facts', 'scene_characters', 'locations', 'timeline'];
