import type { Child, Ending } from '@plugboard/process';
import type { Event } from '@plugboard/protocol';
import type { Tap } from '../record/tap.ts';
import { createReader, type ReaderSink } from './reader.ts';
import { createStderrLog } from './stderr.ts';

/** What is done with what a process says. */
export interface Listener extends Omit<ReaderSink, 'onChunk'> {
  readonly lineBytes: number;
  readonly tap: Tap | undefined;
  /** Something has come on stdout. */
  onHeard(): void;
  /** The process has ended, and all that it said was read. */
  onEnded(ending: Ending): void;
}

/** Hears a process for as long as somebody takes the events. */
export interface Hearing {
  /** Everything so far was taken. */
  drained(): void;
  /** Whether the process is made to wait until events are taken. */
  isHeld(): boolean;
}

/** Reads both streams of a process to their ends, into its record as well. */
export function listen(child: Child, listener: Listener): Hearing {
  const { tap, stepHead, keepsMark = false } = listener;
  const push = (events: Event[]): void => listener.push(events);
  const stderr = createStderrLog(push);
  child.onStderr((chunk) => {
    tap?.write('stderr', chunk);
    stderr.onChunk(chunk);
  });
  const reader =
    child.stdout === null
      ? undefined
      : createReader(child.stdout, listener.lineBytes, {
          step: listener.step,
          keepsMark,
          ...(stepHead && { stepHead }),
          push,
          onChunk(chunk) {
            listener.onHeard();
            tap?.write('stdout', chunk);
          },
        });
  child.ended.then((ending) => {
    stderr.finish();
    reader?.finish();
    tap?.end(ending);
    listener.onEnded(ending);
  });
  return {
    drained() {
      reader?.drained();
      stderr.drained();
    },
    isHeld: () => reader?.isHeld() === true,
  };
}
