/** A file that the store itself keeps. */
export interface SmallFile {
  readonly name: string;
  /** When it was stored, in milliseconds since 1970. */
  readonly at: number;
}

/** Files within the database, for a gateway without another place for them. Each is read and written as a whole or by a range. */
export interface SmallFiles {
  /** Most bytes of one file. */
  readonly limit: number;
  /** Rejects with `conflict` when there is a file of this name. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Bytes `start` to `end`, both included, or all of them. Undefined when there is no such file. */
  read(
    name: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<Uint8Array | undefined>;
  remove(name: string): Promise<void>;
  /** Files whose names come after `after`, in the order of names. */
  list(page: { readonly after: string; readonly limit: number }): Promise<readonly SmallFile[]>;
}
