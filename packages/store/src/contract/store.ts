import type { AskRecords } from './asks.ts';
import type { Commands } from './commands.ts';
import type { EventLog } from './event-log.ts';
import type { Inbox } from './inbox.ts';
import type { Nodes } from './nodes.ts';
import type { Outbox } from './outbox.ts';
import type { People } from './people.ts';
import type { Media, Token } from './records.ts';
import type { Sessions } from './sessions.ts';
import type { SmallFiles } from './small-files.ts';
import type { Turns } from './turns.ts';

/**
 * Durable state of a gateway. When the promise of a write resolves, the write survives a crash. Each call is one
 * transaction: a call that rejects with a `StoreError` has changed no record. Times are milliseconds of the store's clock,
 * so that nodes need not agree on theirs. Text is read as it was written, except that NUL and unpaired surrogates become
 * U+FFFD.
 */
export interface Store {
  readonly sessions: Sessions;
  readonly inbox: Inbox;
  readonly commands: Commands;
  readonly turns: Turns;
  readonly errands: Errands;
  readonly asks: AskRecords;
  readonly log: EventLog;
  readonly outbox: Outbox;
  readonly media: MediaRecords;
  /** Undefined in a driver whose database is no place for files. */
  readonly smallFiles?: SmallFiles;
  readonly tokens: Tokens;
  readonly people: People;
  /** Undefined for a store that one process has alone. */
  readonly nodes?: Nodes;
  /** When the store was made, in milliseconds since 1970. A copy has the time of its original. */
  readonly createdAt: number;
  /** Writes 64 KiB to find out whether the disk takes them; rejects with the reason, for example `full`. */
  check(): Promise<void>;
  /** Reads the whole store without blocking other calls. Rejects with `corrupt` and the first problems found. */
  verify(): Promise<void>;
  /** Copies the store, as of one moment, into a new file without blocking other calls. Rejects with `conflict` when the file exists. */
  backup(file: string): Promise<void>;
  /** Waits for writes and backups under way. Every later call rejects with `closed`. */
  close(): Promise<void>;
}

/** Background work of agents. After a restart the gateway opens these agents again. */
export interface Errands {
  /**
   * Notes that `agent` has tasks or alarms under way in a session. `undefined` removes the note. Rejects with `not-found`
   * when there is an `agent` but no such session.
   */
  note(sessionId: string, agent: string | undefined): Promise<void>;
  /** Live sessions whose present agent has background work, most recently changed first. */
  list(): Promise<readonly Errand[]>;
}

/** Background work of `agent` in one session. */
export interface Errand {
  readonly sessionId: string;
  readonly agent: string;
}

/** Records of media files. The gateway keeps their bytes elsewhere, or in `Store.smallFiles`. */
export interface MediaRecords {
  add(media: Omit<Media, 'createdAt'>): Promise<Media>;
  get(id: string): Promise<Media | undefined>;
}

/** Access tokens. The store has only hashes of their secrets. */
export interface Tokens {
  /**
   * Rejects with `conflict` when a token has the id or the hash. With `isNameUnique` also when a token has the name, unless
   * that has expired: then the new one takes its place.
   */
  add(token: {
    readonly id: string;
    readonly name: string;
    readonly hash: string;
    readonly scopes: readonly string[];
    readonly expiresInMs?: number;
    readonly isNameUnique?: boolean;
  }): Promise<Token>;
  /** The token with this hash, unless it was revoked or has expired. Updates `lastUsedAt` at most once in 60 s. */
  find(hash: string): Promise<Token | undefined>;
  list(): Promise<readonly Token[]>;
  revoke(id: string): Promise<boolean>;
}
