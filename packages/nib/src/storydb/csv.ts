import { toOneLine } from '../one-line.ts';

/** One row of a CSV file and its first line. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/** The rows of a CSV file, with the byte order mark and line ends to keep on the next write. */
export interface CsvFile {
  readonly rows: readonly CsvRow[];
  readonly mark: boolean;
  readonly newline: '\n' | '\r\n';
}

/** A syntax error in a CSV file, which ends the parsing. */
export interface CsvProblem {
  readonly line: number;
  readonly problem: string;
}

interface Cursor {
  at: number;
  line: number;
}

/** Parses CSV by RFC 4180. Blank lines are skipped; an unclosed quote is an error. */
export function parseCsv(text: string): CsvFile | CsvProblem {
  const mark = text.startsWith('\uFEFF');
  const rows: CsvRow[] = [];
  const cursor: Cursor = { at: mark ? 1 : 0, line: 1 };
  while (cursor.at < text.length) {
    const row = readRow(text, cursor);
    if ('problem' in row) return row;
    if (row.fields.length > 1 || row.fields[0] !== '') rows.push(row);
  }
  return { rows, mark, newline: /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n' };
}

/** Formats rows as CSV. Line breaks in a field become spaces, so a field never spans lines. */
export function formatCsv(
  rows: readonly (readonly string[])[],
  { mark, newline }: Pick<CsvFile, 'mark' | 'newline'>,
): string {
  const lines = rows.map((fields) => fields.map(formatField).join(','));
  return `${mark ? '\uFEFF' : ''}${lines.map((line) => `${line}${newline}`).join('')}`;
}

function formatField(text: string): string {
  const flat = /[\r\n]/.test(text) ? toOneLine(text) : text;
  return /[",]/.test(flat) ? `"${flat.replaceAll('"', '""')}"` : flat;
}

function readRow(text: string, cursor: Cursor): CsvRow | CsvProblem {
  const { line } = cursor;
  const fields: string[] = [];
  for (;;) {
    const field = text[cursor.at] === '"' ? readQuoted(text, cursor) : readPlain(text, cursor);
    if (field === undefined) return { line, problem: 'has a quote that is never closed' };
    fields.push(field);
    if (text[cursor.at] === ',') cursor.at += 1;
    else if (endLine(text, cursor)) return { line, fields };
    else return { line: cursor.line, problem: 'has text right after a closing quote' };
  }
}

function readPlain(text: string, cursor: Cursor): string {
  const start = cursor.at;
  while (cursor.at < text.length && text[cursor.at] !== ',' && !isLineEnd(text, cursor.at)) cursor.at += 1;
  return text.slice(start, cursor.at);
}

function readQuoted(text: string, cursor: Cursor): string | undefined {
  let field = '';
  for (let from = cursor.at + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return undefined;
    const part = text.slice(from, quote);
    cursor.line += part.split('\n').length - 1;
    field += part;
    cursor.at = quote + 1;
    if (text[cursor.at] !== '"') return field;
    field += '"';
    from = cursor.at + 1;
  }
}

/** Moves past the end of a line or of the file; false when the line has more fields. */
function endLine(text: string, cursor: Cursor): boolean {
  if (cursor.at >= text.length) return true;
  if (!isLineEnd(text, cursor.at)) return false;
  cursor.at += text[cursor.at] === '\r' ? 2 : 1;
  cursor.line += 1;
  return true;
}

function isLineEnd(text: string, at: number): boolean {
  return text[at] === '\n' || (text[at] === '\r' && text[at + 1] === '\n');
}
