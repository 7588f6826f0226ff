import { isUtf8 } from 'node:buffer';
import { closeSync, fchmodSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { DialectName, HostInput, Turn } from '@plugboard/protocol';
import { reasonOf, redactFrames } from '@plugboard/protocol';
import type { Snapshot } from './snapshot.ts';
import type { Tap } from './tap.ts';

/** One line of a recording. Valid UTF-8 is stored as `text`, other bytes as `base64`. */
export type RecordedEntry =
  | {
      readonly type: 'start';
      readonly version: 1;
      /** Which process of the recording the entry is about: several may run at once. */
      readonly process?: number;
      readonly dialect: DialectName;
      readonly name: string;
    }
  | {
      readonly type: 'bytes';
      readonly process?: number;
      readonly at: number;
      readonly stream: 'stdin' | 'stdout' | 'stderr';
      readonly text?: string;
      readonly base64?: string;
    }
  /** The state of a resident agent's machine when a recording begins in the middle of its conversation. */
  | { readonly type: 'state'; readonly process?: number; readonly at: number; readonly state: Snapshot }
  /** An input of the machine that is no line of output. */
  | {
      readonly type: 'input';
      readonly process?: number;
      readonly at: number;
      readonly input: Exclude<HostInput, { type: 'line' }>;
    }
  | {
      readonly type: 'exit';
      readonly process?: number;
      readonly at: number;
      readonly code: number | null;
      readonly signal: string | null;
    };

/** Records the bytes between host and agents. */
export interface Recorder {
  /** Begins the record of one process. `turn` is set when the process was started for a single turn. */
  tap(agent: { readonly dialect: DialectName; readonly name: string }, turn?: Turn): Tap;
}

/** A recorder that writes to a file. */
export interface FileRecorder extends Recorder {
  /** Whether `redactFrames` has replaced secrets. */
  readonly redacted: boolean;
  /** Why the record is incomplete, or undefined. A full disk ends the record, but not the conversation. */
  readonly problem: string | undefined;
  close(): void;
}

/** How every recording begins. */
const BEGINNING = '{"type":"start",';

/** How a conversation is recorded. */
export interface RecorderOptions {
  /** Keep keys of providers and tokens as they are; otherwise `[secret]` stands in their place. */
  readonly keepSecrets?: boolean;
}

/**
 * Records into a file with mode 0600: it holds the whole conversation, with secrets redacted unless `keepSecrets`. An
 * existing recording is replaced; any other file is refused.
 */
export function createRecorder(path: string, { keepSecrets = false }: RecorderOptions = {}): FileRecorder {
  refuseOther(path);
  let fd: number | undefined = openSync(path, 'w', 0o600);
  // An existing file would keep its mode. A device, for example `/dev/null`, is left unchanged.
  if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
  let problem: string | undefined;
  let redacted = false;
  const encodeEntry = (bytes: Uint8Array): { text: string } | { base64: string } => {
    const encoded = encode(bytes);
    if (keepSecrets || !('text' in encoded)) return encoded;
    const text = redactFrames(encoded.text);
    redacted ||= text !== encoded.text;
    return { text };
  };
  let processes = 0;
  const write = (entry: RecordedEntry): void => {
    // After `close` the descriptor number may belong to another file.
    if (problem !== undefined || fd === undefined) return;
    try {
      writeAll(fd, Buffer.from(`${JSON.stringify(entry)}\n`));
    } catch (error) {
      problem = reasonOf(error);
    }
  };
  return {
    tap({ dialect, name }) {
      const started = performance.now();
      const at = (): number => Math.round((performance.now() - started) * 1000) / 1000;
      processes += 1;
      const process = processes;
      write({ type: 'start', version: 1, process, dialect, name });
      return {
        write: (stream, bytes) => write({ type: 'bytes', process, at: at(), stream, ...encodeEntry(bytes) }),
        end: ({ code, signal }) => write({ type: 'exit', process, at: at(), code, signal }),
      };
    },
    get redacted() {
      return redacted;
    },
    get problem() {
      return problem;
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

/**
 * Protects a user's file from a misplaced argument on the command line: only an empty file or a recording is
 * overwritten.
 */
function refuseOther(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (!there?.isFile() || there.size === 0) return;
  const head = Buffer.alloc(BEGINNING.length);
  const fd = openSync(path, 'r');
  readSync(fd, head);
  closeSync(fd);
  if (head.toString() !== BEGINNING) throw new Error('there is a file that is not a recording.');
}

/** `writeSync` may write only a part when the disk is nearly full. */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; done += writeSync(fd, bytes, done)) {}
}

function encode(bytes: Uint8Array): { text: string } | { base64: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? { text: buffer.toString('utf8') } : { base64: buffer.toString('base64') };
}
