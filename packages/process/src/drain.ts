import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * What a dead process can have left in its pipe is far less (some 200 KiB of socket buffer). More than this since
 * the exit comes from somebody who is still alive and writing.
 */
const LEFTOVER_LIMIT = 2 * 1024 * 1024;

/** How often the stream is looked at within one quiet time. */
const LOOKS = 16;

/** A writer that is never quiet for long is waited for this many quiet times. */
const PATIENCE = 4;

export interface Drain {
  readonly quietMs: number;
  /** `bytesRead` at the exit. */
  readonly since: number;
  /** True once a slow reader is no longer waited for. */
  readonly hurried: () => boolean;
}

/**
 * Waits until the stream has ended: true. Or until it has been quiet for `quietMs`: false. Quiet is judged from
 * outside, because a listener for data would set the stream flowing. While bytes lie in the stream's buffer the
 * reader is holding them, and that time does not count: a slow reader must not lose what was written before the exit.
 */
export function drained(stream: Socket, drain: Drain): Promise<boolean> {
  if (isOver(stream)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (ended: boolean): void => {
      clearInterval(timer);
      stream.off('end', onEnd).off('close', onEnd);
      resolve(ended);
    };
    const onEnd = (): void => finish(true);
    const isSilent = silence(stream, drain);
    const timer = setInterval(() => isSilent() && finish(false), drain.quietMs / LOOKS);
    stream.once('end', onEnd).once('close', onEnd);
  });
}

/**
 * Called once per look. Each look counts for its share of the quiet time, however late it comes: when our own event
 * loop was blocked, unread data is not taken for silence.
 */
function silence(stream: Socket, { since, hurried }: Drain): () => boolean {
  let seen = stream.bytesRead;
  let quiet = 0;
  let looks = 0;
  return () => {
    if (stream.bytesRead - since > LEFTOVER_LIMIT) return true;
    if (stream.readableLength > 0 && !hurried()) return false;
    quiet = stream.bytesRead === seen ? quiet + 1 : 0;
    seen = stream.bytesRead;
    looks += 1;
    return quiet >= LOOKS || looks >= (hurried() ? LOOKS : LOOKS * PATIENCE);
  };
}

/** Lets the reader see a proper end where it has taken everything, and closes our end of the pipe in any case. */
export async function cutOff(stream: Socket): Promise<void> {
  if (!isOver(stream) && stream.readableLength === 0) {
    stream.push(null);
    stream.read(0);
    // 'end' is emitted on the next tick; to destroy before it would make the reader see an error.
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
  stream.destroy();
}

/** What was written before an exit is there to be read within a turn or two of the event loop. */
export async function lastWords(stream: Readable): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    if (isOver(stream)) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

function isOver(stream: Readable): boolean {
  return stream.readableEnded || stream.destroyed;
}
