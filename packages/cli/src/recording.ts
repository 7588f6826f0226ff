import { createRecorder, type FileRecorder } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Command } from 'commander';
import { CommandFailure } from './failure.ts';

/** The options that `addRecordOptions` adds. */
export interface RecordOptions {
  readonly record?: string;
  readonly recordSecrets?: boolean;
}

/** Adds `--record` and `--record-secrets` to a command. */
export function addRecordOptions(command: Command): Command {
  return command
    .option('--record <file>', 'write down every byte that goes over the wire, but for keys')
    .option('--record-secrets', 'keep keys in the recording as they are');
}

/** Begins the recording that `--record` asks for, if it does. */
export function startRecording({ record: file, recordSecrets }: RecordOptions): FileRecorder | undefined {
  if (file === undefined) return undefined;
  try {
    return createRecorder(file, { keepSecrets: recordSecrets === true });
  } catch (error) {
    throw new CommandFailure(`--record ${file}: it cannot be written: ${reasonOf(error)}`);
  }
}

/** Closes the recording; reports removed secrets and an incomplete file on stderr. */
export function finishRecording(recorder: FileRecorder | undefined): void {
  recorder?.close();
  if (recorder?.redacted === true)
    process.stderr.write('plugboard: keys were left out of the recording; --record-secrets keeps them.\n');
  if (recorder?.problem !== undefined)
    process.stderr.write(`plugboard: the recording is cut off: ${recorder.problem}\n`);
}
