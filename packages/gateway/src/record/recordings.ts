import type { OpenAgent } from '@plugboard/host';
import { createSegments } from './segments.ts';
import {
  createTurnRecorder,
  type TurnFrames,
  type TurnRecorder,
  type TurnRecording,
} from './turn-recorder.ts';

/** Recorded frames of the last turns, for the inspector. A crash may lose them; the events are in the store. */
export interface Recordings {
  /** Creates a recorder for an agent that is about to be opened; undefined when recording is off. */
  recorder(): TurnRecorder | undefined;
  /** `inputId` is the id under which the agent is given the message of the turn. */
  begin(
    turn: { readonly id: string; readonly inputId: string | undefined },
    agent: Pick<OpenAgent, 'dialect' | 'name'> & { readonly recorder: TurnRecorder | undefined },
  ): void;
  end(turnId: string): void;
  has(turnId: string): boolean;
  read(turnId: string): Promise<TurnRecording | undefined>;
  /** Removes recordings of turns that `isKept` rejects; resolves to their number. */
  forget(isKept: (turnId: string) => Promise<boolean>): Promise<number>;
  close(): Promise<void>;
}

export interface RecordingLimits {
  /** Number of turns to keep; 0 keeps none. */
  readonly turns: number;
  /** Most bytes of one recording. */
  readonly bytes: number;
}

export function createRecordings(directory: string, limits: RecordingLimits): Recordings {
  const open = new Map<string, TurnFrames>();
  const byInput = new Map<string, TurnFrames>();
  const segments = createSegments(directory, limits.turns);
  return {
    recorder: () =>
      limits.turns > 0 ? createTurnRecorder((id) => open.get(id) ?? byInput.get(id), limits) : undefined,
    begin({ id, inputId }, { dialect, name, recorder }) {
      if (recorder === undefined) return;
      recorder.current = id;
      const frames: TurnFrames = {
        dialect,
        agent: name,
        inputId,
        started: performance.now(),
        entries: [],
        bytes: 0,
        complete: true,
        hasState: false,
      };
      open.set(id, frames);
      if (inputId !== undefined) byInput.set(inputId, frames);
    },
    end(turnId) {
      const frames = open.get(turnId);
      if (frames === undefined) return;
      open.delete(turnId);
      if (frames.inputId !== undefined) byInput.delete(frames.inputId);
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
