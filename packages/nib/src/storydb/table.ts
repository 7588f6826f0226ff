import { NibError } from '../nib-error.ts';
import { COLUMNS, type Row, type TableName } from './columns.ts';
import { type CsvRow, formatCsv, parseCsv } from './csv.ts';

/** One file of the story database, with the columns and format of other programs, which a write keeps. */
export interface Table<N extends TableName> {
  readonly columns: readonly string[];
  readonly rows: readonly Row<N>[];
  readonly mark: boolean;
  readonly newline: '\n' | '\r\n';
}

/** A table of any name, for `formatTable`. */
interface AnyTable extends Omit<Table<TableName>, 'rows'> {
  readonly rows: readonly Readonly<Record<string, string>>[];
}

export function createEmptyTable<N extends TableName>(name: N): Table<N> {
  return { columns: COLUMNS[name], rows: [], mark: false, newline: '\n' };
}

/** Parses a file's text; an invalid row throws a `NibError` with its file and line. */
export function parseTable<N extends TableName>(name: N, text: string, file: string): Table<N> {
  const csv = parseCsv(text);
  if ('problem' in csv) throw createTableError(file, csv.line, csv.problem);
  const [header, ...rows] = csv.rows;
  if (header === undefined) return { ...createEmptyTable(name), mark: csv.mark, newline: csv.newline };
  const columns = header.fields.map((field) => field.trim());
  checkColumns(name, columns, file, header.line);
  return {
    columns,
    rows: rows.map((row) => readRow<N>(row, columns, file)),
    mark: csv.mark,
    newline: csv.newline,
  };
}

export function formatTable({ columns, rows, mark, newline }: AnyTable): string {
  const lines = rows.map((row) => columns.map((column) => row[column] ?? ''));
  return formatCsv([columns, ...lines], { mark, newline });
}

function readRow<N extends TableName>(
  { line, fields }: CsvRow,
  columns: readonly string[],
  file: string,
): Row<N> {
  if (fields.length !== columns.length) {
    throw createTableError(file, line, `has ${fields.length} fields where the header has ${columns.length}`);
  }
  return Object.fromEntries(columns.map((column, index) => [column, fields[index] ?? ''])) as Row<N>;
}

function checkColumns(name: TableName, columns: readonly string[], file: string, line: number): void {
  const missing = COLUMNS[name].filter((column) => !columns.includes(column));
  if (missing.length > 0)
    throw createTableError(file, line, `has no column ${missing.join(', ')} in its header`);
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw createTableError(file, line, `has the column ${twice} twice in its header`);
}

function createTableError(file: string, line: number, what: string): NibError {
  return new NibError(
    `${file}:${line}: this line ${what}. Mend it by hand, or start the index over with nib ct reset.`,
  );
}
