export {
  type Connection,
  executeSql,
  findRow,
  listRows,
  openConnection,
  type Parameters,
  prepareStatement,
  requireRow,
  runStatement,
} from './connection.ts';
export { DatabaseFailure, describeFailure, type FailureWords } from './failure.ts';
export { type FileLock, takeLock } from './lock.ts';
export { applyMigrations, inspectSchema, type Migration, readMigrations, type Schema } from './migrations.ts';
export { hasHardLink, openForWriting, realPathOf } from './open.ts';
export { runTransaction, withSnapshot } from './transaction.ts';
export { takeWatchedLock, type WatchedLock } from './watched-lock.ts';
