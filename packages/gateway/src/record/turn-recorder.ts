import { isUtf8 } from 'node:buffer';
import { type RecordedEntry, type Recorder, takeSnapshot } from '@plugboard/host';
import { type HostInput, type JsonValue, redactFrames } from '@plugboard/protocol';

/** The stored frames of one turn. */
export interface TurnRecording {
  readonly turnId: string;
  readonly dialect: string;
  readonly agent: string;
  /** False when the recording was cut at `limits.bytes`, or the turn still runs. */
  readonly complete: boolean;
  readonly entries: readonly RecordedEntry[];
}

/** Recorded frames of a turn that may still run. */
export interface TurnFrames {
  readonly dialect: string;
  readonly agent: string;
  readonly inputId: string | undefined;
  readonly started: number;
  readonly entries: RecordedEntry[];
  bytes: number;
  complete: boolean;
  /** The state of the machine is recorded. */
  hasState: boolean;
}

/** Records the bytes of one open agent. */
export interface TurnRecorder extends Recorder {
  /** Id of the turn that the next bytes belong to, for processes with many turns. */
  current: string | undefined;
}

export interface FrameLimits {
  readonly bytes: number;
}

/** Records bytes by turn, with API keys redacted. Bytes outside a turn and beyond `limits.bytes` are dropped. */
export function createTurnRecorder(
  framesOf: (turnId: string) => TurnFrames | undefined,
  limits: FrameLimits,
): TurnRecorder {
  const recorder: TurnRecorder = {
    current: undefined,
    tap: (_agent, turn) => ({
      write(stream, bytes) {
        const frames = framesOf(turn?.id ?? recorder.current ?? '');
        if (frames !== undefined) recordBytes(frames, stream, bytes, limits.bytes);
      },
      step(input, state) {
        // An agent with one turn for each process begins in its initial state: its `send` is that turn.
        if (turn !== undefined || input.type === 'line') return;
        const frames = framesOf(recorder.current ?? '');
        if (frames !== undefined) recordInput(frames, input, state, limits.bytes);
      },
      end({ code, signal }) {
        const frames = framesOf(turn?.id ?? recorder.current ?? '');
        frames?.entries.push({ type: 'exit', at: elapsedMs(frames), code, signal });
      },
    }),
  };
  return recorder;
}

function recordBytes(
  frames: TurnFrames,
  stream: 'stdin' | 'stdout' | 'stderr',
  bytes: Uint8Array,
  limit: number,
): void {
  const room = limit - frames.bytes;
  if (bytes.length > room) frames.complete = false;
  if (room <= 0) return;
  // Copied to a string here, because the reader reuses the memory of the chunk.
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, room));
  frames.bytes += kept.length;
  const content = isUtf8(kept)
    ? { text: redactFrames(kept.toString('utf8')) }
    : { base64: kept.toString('base64') };
  frames.entries.push({ type: 'bytes', at: elapsedMs(frames), stream, ...content });
}

/** The first input of a recording is preceded by the state in which it was stepped. */
function recordInput(
  frames: TurnFrames,
  input: Exclude<HostInput, { type: 'line' }>,
  state: unknown,
  limit: number,
): void {
  if (!frames.hasState) {
    frames.hasState = true;
    recordJson(frames, 'state', takeSnapshot(state) as JsonValue, limit);
  }
  recordJson(frames, 'input', input as unknown as JsonValue, limit);
}

function recordJson(frames: TurnFrames, type: 'state' | 'input', value: JsonValue, limit: number): void {
  const text = redactFrames(JSON.stringify(value));
  if (frames.bytes + text.length > limit) {
    frames.complete = false;
    return;
  }
  frames.bytes += text.length;
  frames.entries.push({ type, at: elapsedMs(frames), [type]: JSON.parse(text) } as unknown as RecordedEntry);
}

/** Milliseconds since the start of the turn, rounded to 1 µs. */
function elapsedMs({ started }: TurnFrames): number {
  return Math.round((performance.now() - started) * 1000) / 1000;
}
