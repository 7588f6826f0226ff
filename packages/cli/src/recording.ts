import { createRecorder, type FileRecorder } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import { CommandFailure } from './failure.ts';

/** Begins the recording that `--record` asks for, if it does. */
export function startRecording(file: string | undefined): FileRecorder | undefined {
  if (file === undefined) return undefined;
  try {
    return createRecorder(file);
  } catch (error) {
    throw new CommandFailure(`--record ${file}: it cannot be written: ${reasonOf(error)}`);
  }
}

/** Ends it, and says so when it is not complete. */
export function finishRecording(recorder: FileRecorder | undefined): void {
  recorder?.close();
  if (recorder?.problem !== undefined)
    process.stderr.write(`plugboard: the recording is cut off: ${recorder.problem}\n`);
}
