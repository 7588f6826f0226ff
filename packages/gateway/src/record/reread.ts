import { isUtf8 } from 'node:buffer';
import { type Event, type Profile, type RecordedEntry, restoreSnapshot } from '@plugboard/host';
import {
  createLines,
  createTurn,
  type DialectName,
  dialects,
  type Exit,
  endBytes,
  eventsOf,
  faultEvent,
  type HostEffect,
  type HostSide,
  type LineFault,
  pushBytes,
  type Settings,
} from '@plugboard/protocol';
import type { TurnRecording } from './turn-recorder.ts';

/** An event that was decoded from recorded frames, with its time. */
export interface RereadEvent {
  readonly at: number;
  readonly event: Event;
}

const codec = {
  decode: (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8'),
  isValid: (bytes: Uint8Array) => isUtf8(bytes),
};

/**
 * Decodes recorded frames again with the current dialect. Starts no process. Undefined when the recording cannot be read
 * anew: its beginning is missing.
 */
export function reread(recording: TurnRecording, profile: Profile | undefined): RereadEvent[] | undefined {
  const dialect = dialects[recording.dialect as DialectName];
  const settings = (profile?.dialect === recording.dialect ? profile.settings : dialect.defaults) as Settings;
  const host = dialect.host as HostSide<Settings, unknown>;
  const isOneShot = host.process === 'per-turn';
  const state = isOneShot
    ? host.initial(settings, { environment: {}, workspace: profile?.workspace ?? '/' })
    : recordedState(recording);
  if (state === undefined) return undefined;
  const effects: HostEffect[] = [];
  const lines = createLines(codec, host.lineBytes);
  const sink = {
    onLine: (text: string) => host.step(state, { type: 'line', text }, effects),
    onHead: (text: string) => host.step(state, { type: 'line', text, truncated: true }, effects),
    onFault(code: LineFault, excerpt: string) {
      if (code === 'invalid-utf8')
        eventsOf(effects, host.currentTurn(state)).push(faultEvent(code, INVALID, excerpt));
    },
  };
  if (isOneShot) host.step(state, { type: 'send', turn: createTurn({ id: recording.turnId }) }, effects);
  const events: RereadEvent[] = [];
  for (const entry of recording.entries) {
    if (entry.type === 'start' || entry.type === 'state') continue;
    if (entry.type === 'exit' && isOneShot) {
      endBytes(lines, sink);
      host.step(state, { type: 'exit', exit: exitOf(entry) }, effects);
    } else if (entry.type === 'input') host.step(state, entry.input, effects);
    else if (entry.type === 'bytes' && entry.stream === 'stdout') pushBytes(lines, bytesOf(entry), sink);
    for (const event of eventsIn(effects.splice(0))) events.push({ at: entry.at, event });
  }
  return events;
}

function recordedState({ entries }: TurnRecording): unknown {
  const found = entries.find((entry) => entry.type === 'state');
  return found?.type === 'state' ? restoreSnapshot(found.state) : undefined;
}

const INVALID = 'A line could not be read as it was.';

/** Events that belong to a turn; all further ones are dropped, as in a running turn. */
function eventsIn(effects: readonly HostEffect[]): Event[] {
  return effects.flatMap((effect) =>
    effect.type === 'events' && effect.turnId !== undefined ? effect.events : [],
  );
}

function bytesOf({ text, base64 }: { readonly text?: string; readonly base64?: string }): Uint8Array {
  return base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
}

function exitOf({ code, signal, at }: Extract<RecordedEntry, { type: 'exit' }>): Exit {
  const cause = signal === null ? 'exit' : 'signal';
  return { cause, code, signal, exitCode: code ?? 1, durationMs: at, stderr: '' } as Exit;
}

/** Whether two lists of events are equal, apart from times, file paths, and `log` events of the host. */
export function sameEvents(logged: readonly Event[], read: readonly Event[]): boolean {
  return JSON.stringify(logged.flatMap(essenceOf)) === JSON.stringify(read.flatMap(essenceOf));
}

function essenceOf(event: Event): unknown[] {
  if (event.type === 'log' && event.source !== 'agent') return [];
  // Sent only when changed since the turn before, which a single recording does not contain.
  if (event.type === 'session' || event.type === 'ready') return [];
  if (event.type === 'message') return [{ ...event, media: event.media.length }];
  if (event.type !== 'end') return [event];
  const { outcome, text } = event;
  return [{ type: 'end', outcome, text }];
}
