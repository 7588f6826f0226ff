import { BATCH, type Key, type TableReader } from './database.ts';
import type { Row } from './move-table.ts';
import type { MoveConnection } from './postgres-connection.ts';

/** Reads pages by key: no transaction stays open, which would keep the server from removing dead rows. */
export function createPostgresReader({ query }: Pick<MoveConnection, 'query'>): TableReader {
  return {
    async *batches({ name }, columns, { key, after }) {
      const wanted = [...new Set([...key, ...columns])];
      let last: Key | undefined = after;
      for (;;) {
        const page = pageOf(name, key, last);
        const [size] = await query<{ rows: number }>(countFitting(page, wanted), page.values);
        const limit = Math.max(1, size?.rows ?? 1);
        const sql = `select ${wanted.join(', ')} from ${name} ${page.where} ${page.order} limit ${limit}`;
        const rows = await query<Row>(sql, page.values);
        const end = rows.at(-1);
        if (end === undefined) return;
        yield rows;
        last = key.map((column) => end[column] ?? null);
      }
    },
    async count(table) {
      const [found] = await query<{ rows: number }>(`select count(*) as rows from ${table}`);
      return found?.rows ?? 0;
    },
  };
}

interface Page {
  readonly name: string;
  readonly where: string;
  readonly order: string;
  readonly values: readonly unknown[];
}

function pageOf(name: string, key: readonly string[], after: Key | undefined): Page {
  const places = key.map((_column, at) => `$${at + 1}`).join(', ');
  return {
    name,
    where: after === undefined ? '' : `where (${key.join(', ')}) > (${places})`,
    order: `order by ${key.join(', ')}`,
    values: after ?? [],
  };
}

/** The number of rows of a page that have `BATCH.bytes` together. */
function countFitting({ name, where, order }: Page, columns: readonly string[]): string {
  const sizes = columns.map((column) => `coalesce(octet_length(${column}::text), 0)`).join(' + ');
  return `
    select count(*) as rows from (
      select sum(bytes) over (rows unbounded preceding) as sum from (
        select ${sizes} as bytes from ${name} ${where} ${order} limit ${BATCH.rows}) as page) as sums
    where sum <= ${BATCH.bytes}`;
}
