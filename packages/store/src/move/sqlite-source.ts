import { existsSync } from 'node:fs';
import { inspectSchema, openConnection, realPathOf, requireRow, takeWatchedLock } from '@plugboard/sqlite';
import { StoreError } from '../contract/errors.ts';
import { ownSchema } from '../drivers/sqlite/open.ts';
import { storeProblem } from '../drivers/sqlite/problem.ts';
import type { MoveSource } from './database.ts';
import { createSqliteReader } from './sqlite-reader.ts';

/** Opens a store in SQLite to read it: takes its lock, and writes nothing. */
export function openSqliteSource(file: string): MoveSource {
  if (!existsSync(file))
    throw new StoreError('not-found', `There is no store to move: ${file} does not exist.`);
  const path = realPathOf(file);
  const undo: (() => void)[] = [];
  try {
    const lock = takeWatchedLock(path, false);
    undo.unshift(lock.release);
    const connection = openConnection(path, { readOnly: true });
    undo.unshift(() => connection.database.close());
    const schema = ownSchema();
    if (inspectSchema(connection, schema) < schema.migrations.length)
      throw new StoreError(
        'unavailable',
        `The store ${file} is of an older version: start a gateway of this version on it once, and stop it.`,
      );
    const { at } = requireRow<{ at: number }>(connection, 'select min(applied_at) as at from migrations');
    return {
      kind: 'sqlite',
      place: file,
      createdAt: at,
      reader: createSqliteReader(connection),
      async close() {
        for (const step of undo) step();
      },
    };
  } catch (error) {
    for (const step of undo) step();
    throw storeProblem(path, error);
  }
}
