import type { Readable } from 'node:stream';

/** A byte range; `start` and `end` are both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file in a place for files, as `MediaFiles.list` finds it. */
export interface ListedFile {
  readonly name: string;
  /** Last change, in milliseconds since 1970. */
  readonly at: number;
  /** Part of an upload that was cut off, or is under way. */
  readonly isPartial: boolean;
}

/**
 * Bytes of media files, by `Media.file`: in a directory, in an S3-compatible bucket, or in the store. Every call rejects
 * with a `MediaUnavailableError` when the place cannot be reached.
 */
export interface MediaFiles {
  /** The place, for the operator. Without secrets. */
  readonly place: string;
  /** The directory of the files on this machine; undefined when `open` is the only way to read one. */
  readonly directory?: string;
  /** The largest file that the place takes, and the setting that names another place. */
  readonly limit?: { readonly bytes: number; readonly setting: string };
  /** Stores a file. When `bytes` throws, or the place fails, nothing can be read under `name`. */
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Opens a file or a range within it, which is never cut short without an error. Undefined when there is no such file. */
  open(name: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes a file. A file that is not there counts as removed. */
  remove(name: string): Promise<void>;
  list(): AsyncIterable<ListedFile>;
  /** Stores a small file, reads it and removes it. Does not wait for a place that is away. */
  check(): Promise<void>;
}
