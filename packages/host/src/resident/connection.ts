import type { Child } from '@plugboard/process';
import type { ControlReply, Event, LaunchContext, ResidentHost, Settings } from '@plugboard/protocol';
import type { OpenOptions } from '../open.ts';
import type { Profile } from '../profile/profile.ts';
import { takeLimitWarning } from '../run/limit-warning.ts';
import { listen } from '../run/listen.ts';
import { createStarter } from '../run/starter.ts';

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
  /** Whether the process is made to wait until events are taken. */
  isHeld(): boolean;
}

/** What is done with what a resident process says, in the order in which it says it. */
export interface ConnectionListener {
  onSaid(said: readonly Said[]): void;
  /** Something has come on stdout. */
  onHeard(): void;
  /** The process has ended; its last words. */
  onEnded(said: readonly Said[]): void;
}

function withLimitWarning(profile: Profile, said: readonly Said[]): readonly Said[] {
  const warning = takeLimitWarning(profile);
  return warning === undefined ? said : [warning, ...said];
}

/** Starts the process. */
export function connect(
  profile: Profile,
  host: ResidentHost<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
  listener: ConnectionListener,
): Connection {
  const launch = host.launch(profile.settings, context);
  const child = createStarter(profile, options)(launch);
  const tap = options.recorder?.tap(profile);
  const state = host.initial(profile.settings);
  const hearing = listen(child, {
    tap,
    lineBytes: profile.lineBytes ?? host.lineBytes,
    step: (line, out) => host.step(state, line, out as Said[]),
    push: (events) => listener.onSaid(withLimitWarning(profile, events)),
    onHeard: () => listener.onHeard(),
    onEnded(ending) {
      const out: Said[] = [];
      host.end(state, ending, out);
      listener.onEnded(withLimitWarning(profile, out));
    },
  });
  return {
    child,
    state,
    send(text) {
      tap?.write('stdin', Buffer.from(text));
      child.write(text);
    },
    drained: hearing.drained,
    isHeld: hearing.isHeld,
  };
}
