import type { Child } from '@plugboard/process';
import type { ControlReply, Event, LaunchContext, ResidentHost, Settings } from '@plugboard/protocol';
import type { OpenOptions } from '../open.ts';
import type { Profile } from '../profile/profile.ts';
import { createReader } from '../run/reader.ts';
import { createStarter } from '../run/starter.ts';
import { createStderrLog } from '../run/stderr.ts';

/** What a resident process says: parts of turns, and answers to controls. */
export type Said = Event | ControlReply;

/** One life of a resident process. */
export interface Connection {
  readonly child: Child;
  readonly state: unknown;
  /** Writes bytes to the process; they also go into the recording. */
  send(text: string): void;
  /** The consumer has taken everything. */
  drained(): void;
}

/** Starts the process. `onSaid` gets everything in order; the last call has `exited` set. */
export function connect(
  profile: Profile,
  host: ResidentHost<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
  onSaid: (said: readonly Said[], exited: boolean) => void,
): Connection {
  const launch = host.launch(profile.settings, context);
  const child = createStarter(profile, options)(launch);
  const tap = options.recorder?.tap(profile);
  const state = host.initial(profile.settings);
  const stderr = createStderrLog((events) => onSaid(events, false));
  child.onStderr((bytes) => {
    tap?.write('stderr', bytes);
    stderr.onChunk(bytes);
  });
  const reader =
    child.stdout === null
      ? undefined
      : createReader(child.stdout, profile.lineBytes ?? host.lineBytes, {
          step: (line, out) => host.step(state, line, out as Said[]),
          push: (events) => onSaid(events, false),
          onChunk: (bytes) => tap?.write('stdout', bytes),
        });
  child.ended.then((ending) => {
    stderr.finish();
    reader?.finish();
    tap?.end(ending);
    const out: Said[] = [];
    host.end(state, ending, out);
    onSaid(out, true);
  });
  return {
    child,
    state,
    send(text) {
      tap?.write('stdin', Buffer.from(text));
      child.write(text);
    },
    drained() {
      reader?.drained();
      stderr.drained();
    },
  };
}
