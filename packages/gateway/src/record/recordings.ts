import type { OpenAgent, RecordedEntry } from '@plugboard/host';
import { createSegments } from './segments.ts';
import { createTurnRecorder, type TurnFrames, type TurnRecorder } from './turn-recorder.ts';

/** The record of one turn, as it is kept. */
export interface TurnRecording {
  readonly turnId: string;
  readonly dialect: string;
  readonly agent: string;
  /** False when it was cut at the limit, or the turn still runs. */
  readonly complete: boolean;
  readonly entries: readonly RecordedEntry[];
}

/** What went over the wire in the last turns, for the inspector. It may be lost in a crash; what was said is in the store. */
export interface Recordings {
  /** Sees the bytes of one agent that is about to be opened; undefined when nothing is recorded. */
  recorder(): TurnRecorder | undefined;
  begin(turnId: string, agent: OpenAgent, recorder: TurnRecorder | undefined): void;
  end(turnId: string): void;
  has(turnId: string): boolean;
  read(turnId: string): Promise<TurnRecording | undefined>;
  /** Takes out what was recorded of turns that are not to be kept; resolves to how many there were. */
  forget(isKept: (turnId: string) => Promise<boolean>): Promise<number>;
  close(): Promise<void>;
}

export interface RecordingLimits {
  /** How many turns are kept; 0 keeps none. */
  readonly turns: number;
  /** How many bytes of each. */
  readonly bytes: number;
}

export function createRecordings(directory: string, limits: RecordingLimits): Recordings {
  const open = new Map<string, TurnFrames>();
  const segments = createSegments(directory, limits.turns);
  return {
    recorder: () => (limits.turns > 0 ? createTurnRecorder((id) => open.get(id), limits) : undefined),
    begin(turnId, { dialect, name }, recorder) {
      if (recorder === undefined) return;
      recorder.current = turnId;
      open.set(turnId, {
        dialect,
        agent: name,
        started: performance.now(),
        entries: [],
        bytes: 0,
        complete: true,
      });
    },
    end(turnId) {
      const frames = open.get(turnId);
      if (frames === undefined) return;
      open.delete(turnId);
      segments.add(turnId, recordingOf(turnId, frames, frames.complete));
    },
    has: (turnId) => open.has(turnId) || segments.has(turnId),
    async read(turnId) {
      const frames = open.get(turnId);
      return frames === undefined ? segments.read(turnId) : recordingOf(turnId, frames, false);
    },
    forget: (isKept) => segments.forget(isKept),
    close: () => segments.close(),
  };
}

function recordingOf(
  turnId: string,
  { dialect, agent, entries }: TurnFrames,
  complete: boolean,
): TurnRecording {
  return { turnId, dialect, agent, complete, entries };
}
