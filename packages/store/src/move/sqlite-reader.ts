import { type Connection, findRow, prepareStatement, requireRow } from '@plugboard/sqlite';
import { bytesOf, isFull, type TableReader } from './database.ts';
import type { Row } from './move-table.ts';

export function createSqliteReader(connection: Connection): TableReader {
  return {
    async *batches({ name }, columns, { key, after }) {
      const where =
        after === undefined ? '' : `where (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
      const wanted = [...new Set([...key, ...columns])].join(', ');
      const sql = `select ${wanted} from ${name} ${where} order by ${key.join(', ')}`;
      let batch: Row[] = [];
      let bytes = 0;
      // Keys are texts and numbers.
      const values = (after ?? []) as (string | number)[];
      for (const row of prepareStatement(connection, sql).iterate(...values)) {
        batch.push(row as Row);
        bytes += bytesOf(row as Row);
        if (!isFull(batch, bytes)) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
      if (batch.length > 0) yield batch;
    },
    count: async (table) =>
      requireRow<{ rows: number }>(connection, `select count(*) as rows from ${table}`).rows,
  };
}

export function hasTable(connection: Connection, name: string): boolean {
  return (
    findRow(connection, "select 1 from sqlite_schema where type = 'table' and name = :name", { name }) !==
    undefined
  );
}
