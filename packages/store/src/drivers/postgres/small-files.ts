import type { SmallFile, SmallFiles } from '../../contract/small-files.ts';
import { findRow, listRows, NOW, runStatement } from './connection.ts';
import type { Context } from './context.ts';

/** A larger file would stay in memory several times, here and in the server, while it is stored. */
const LIMIT = 1024 ** 2;

const PUT = `insert into small_files (name, at, bytes) values (:name, ${NOW}, :bytes::bytea)`;

const READ = `
  select case when :from::integer is null then bytes else substring(bytes from :from for :length) end as bytes
  from small_files where name = :name`;

const LIST = 'select name, at from small_files where name > :after order by name limit :limit';

export function createSmallFiles({ read, write }: Context): SmallFiles {
  return {
    limit: LIMIT,
    put: (name, bytes) =>
      write(`file:${name}`, async (transaction) => {
        await runStatement(transaction, PUT, { name, bytes });
      }),
    async read(name, range) {
      // SQL counts from 1.
      const part =
        range === undefined
          ? { from: null, length: null }
          : { from: range.start + 1, length: range.end - range.start + 1 };
      const found = await read((connection) =>
        findRow<{ bytes: Buffer }>(connection, READ, { name, ...part }),
      );
      return found?.bytes;
    },
    remove: (name) =>
      write(`file:${name}`, async (transaction) => {
        await runStatement(transaction, 'delete from small_files where name = :name', { name });
      }),
    list: (page) => read((connection) => listRows<SmallFile>(connection, LIST, page)),
  };
}
