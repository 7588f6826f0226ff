import { isUtf8 } from 'node:buffer';
import type { RecordedEntry, Recorder } from '@plugboard/host';
import { redactFrames } from '@plugboard/protocol';

/** What went over the wire in one turn. */
export interface TurnFrames {
  readonly dialect: string;
  readonly agent: string;
  readonly started: number;
  readonly entries: RecordedEntry[];
  bytes: number;
  complete: boolean;
}

/** Sees the bytes of the turns of one open agent. */
export interface TurnRecorder extends Recorder {
  /** The turn whose bytes come next, for agents whose process has many turns. */
  current: string | undefined;
}

export interface FrameLimits {
  readonly bytes: number;
}

/** Puts bytes down under the turn they belong to, without what looks like a key; those of no turn, and those beyond the limit, are left out. */
export function createTurnRecorder(
  framesOf: (turnId: string) => TurnFrames | undefined,
  limits: FrameLimits,
): TurnRecorder {
  const recorder: TurnRecorder = {
    current: undefined,
    tap: (_agent, turn) => ({
      write(stream, bytes) {
        const frames = framesOf(turn?.id ?? recorder.current ?? '');
        if (frames !== undefined) put(frames, stream, bytes, limits.bytes);
      },
      end({ code, signal }) {
        const frames = framesOf(turn?.id ?? recorder.current ?? '');
        frames?.entries.push({ type: 'exit', at: since(frames), code, signal });
      },
    }),
  };
  return recorder;
}

function put(
  frames: TurnFrames,
  stream: 'stdin' | 'stdout' | 'stderr',
  bytes: Uint8Array,
  limit: number,
): void {
  const room = limit - frames.bytes;
  if (bytes.length > room) frames.complete = false;
  if (room <= 0) return;
  // Made into text here: the reader gives the memory of the chunk back as soon as it was read.
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, room));
  frames.bytes += kept.length;
  const content = isUtf8(kept)
    ? { text: redactFrames(kept.toString('utf8')) }
    : { base64: kept.toString('base64') };
  frames.entries.push({ type: 'bytes', at: since(frames), stream, ...content });
}

/** Milliseconds, to the microsecond, since the turn began. */
function since({ started }: TurnFrames): number {
  return Math.round((performance.now() - started) * 1000) / 1000;
}
