export { type BackedUp, type BackupOptions, backUp } from './backup/back-up.ts';
export { BackupError, type BackupErrorCode } from './backup/backup-error.ts';
export type { CopiedMedia, OnProgress } from './backup/media-copy.ts';
export { type Restored, type RestoreOptions, restoreStore } from './backup/restore.ts';
export { lockPlace } from './lock-place.ts';
export { openSqlite, type SqliteOptions } from './open.ts';
