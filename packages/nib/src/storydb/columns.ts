/** The columns of every file of the story database, in the order in which a new file has them. */
export const COLUMNS = {
  scenes: ['scene', 'pov', 'scene_type', 'location', 'date', 'time', 'summary', 'checksum', 'indexed_at'],
  facts: ['id', 'scene', 'category', 'summary', 'detail', 'source_text', 'date', 'time', 'indexed_at'],
  scene_characters: ['scene', 'character', 'role', 'indexed_at'],
  locations: ['id', 'name', 'type', 'description', 'first_scene', 'indexed_at'],
  timeline: ['id', 'date', 'time', 'event', 'detail', 'scene', 'location', 'notes'],
} as const;

/** The name of one of the five files, without .csv. */
export type TableName = keyof typeof COLUMNS;

/** A row by its columns; columns that others have added are there too. */
export type Row<N extends TableName> = Readonly<Record<(typeof COLUMNS)[N][number], string>>;

/** All five, in the order in which they are read and written. */
export const TABLES: readonly TableName[] = ['scenes', 'facts', 'scene_characters', 'locations', 'timeline'];
