import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * The socket buffer of a dead process holds at most about 200 KiB. More bytes than this after the exit come from a
 * process that is still alive and writing.
 */
const LEFTOVER_LIMIT = 2 * 1024 * 1024;

/** How many times `bytesRead` is sampled within `quietMs`. */
const SAMPLES = 16;

/** The drain gives up after this many times `quietMs` if the writer never falls silent. */
const MOST_QUIET_TIMES = 4;

export interface Drain {
  readonly quietMs: number;
  /** `bytesRead` at the exit. */
  readonly since: number;
  /** True once `stop` was called: the drain no longer waits for a slow reader. */
  readonly isStopping: () => boolean;
}

/**
 * Resolves true when the stream has ended, false when it has been silent for `quietMs`. It samples `bytesRead`, because
 * a 'data' listener would set the stream flowing. Time with bytes in the stream's buffer does not count: a slow reader
 * must not lose output written before the exit.
 */
export function waitForDrain(stream: Socket, drain: Drain): Promise<boolean> {
  if (hasEnded(stream)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (ended: boolean): void => {
      clearInterval(timer);
      stream.off('end', onEnd).off('close', onEnd);
      resolve(ended);
    };
    const onEnd = (): void => finish(true);
    const isSilent = createSilenceCheck(stream, drain);
    const timer = setInterval(() => isSilent() && finish(false), drain.quietMs / SAMPLES);
    stream.once('end', onEnd).once('close', onEnd);
  });
}

/**
 * The returned function is called once per sample. A sample counts as one share of `quietMs` however late it comes: if
 * our event loop was blocked, unread data must not be taken for silence.
 */
function createSilenceCheck(stream: Socket, { since, isStopping }: Drain): () => boolean {
  let seen = stream.bytesRead;
  let quiet = 0;
  let samples = 0;
  return () => {
    if (stream.bytesRead - since > LEFTOVER_LIMIT) return true;
    if (stream.readableLength > 0 && !isStopping()) return false;
    quiet = stream.bytesRead === seen ? quiet + 1 : 0;
    seen = stream.bytesRead;
    samples += 1;
    return quiet >= SAMPLES || samples >= (isStopping() ? SAMPLES : SAMPLES * MOST_QUIET_TIMES);
  };
}

/** Emits 'end' when the reader has taken every byte, then destroys the stream. */
export async function closeOutput(stream: Socket): Promise<void> {
  if (!hasEnded(stream) && stream.readableLength === 0) {
    stream.push(null);
    stream.read(0);
    // 'end' is emitted on the next tick; `destroy` before it would give the reader an error.
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
  stream.destroy();
}

/** Bytes written before an exit become readable within 2 iterations of the event loop. */
export async function waitForLastOutput(stream: Readable): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    if (hasEnded(stream)) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

function hasEnded(stream: Readable): boolean {
  return stream.readableEnded || stream.destroyed;
}
