import { isUtf8 } from 'node:buffer';
import type { Event, Profile, RecordedEntry } from '@plugboard/host';
import {
  type AgentSide,
  createLines,
  createTurn,
  type DialectName,
  dialects,
  type Exit,
  endBytes,
  faultEvent,
  type OneShotHost,
  pushBytes,
  type Request,
  type ResidentHost,
  type Settings,
} from '@plugboard/protocol';
import type { TurnRecording } from './recordings.ts';

/** An event that recorded bytes give, and when they came. */
export interface RereadEvent {
  readonly at: number;
  readonly event: Event;
}

/** A recording holds no more of a turn than `limits.recording_bytes`. */
const MOST_LINE_BYTES = 2 ** 30;

const codec = {
  decode: (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8'),
  isValid: (bytes: Uint8Array) => isUtf8(bytes),
};

/** Reads the recorded bytes of a turn anew, as the dialect reads them now. Starts no process. */
export function reread(recording: TurnRecording, profile: Profile | undefined): RereadEvent[] {
  const dialect = dialects[recording.dialect as DialectName];
  const settings = (profile?.dialect === recording.dialect ? profile.settings : dialect.defaults) as Settings;
  const host = dialect.host as OneShotHost<Settings, unknown> | ResidentHost<Settings, unknown>;
  const decoder = host.resident
    ? residentDecoder(host, settings, turnCounter(dialect.agent as AgentSide<unknown>))
    : oneShotDecoder(host, settings);
  const events: RereadEvent[] = [];
  for (const entry of recording.entries) {
    if (entry.type === 'start') continue;
    const out: Event[] = [];
    decoder(entry, out);
    for (const event of out) events.push({ at: entry.at, event });
  }
  return events;
}

type Decoder = (entry: Exclude<RecordedEntry, { type: 'start' }>, out: Event[]) => void;

function oneShotDecoder(host: OneShotHost<Settings, unknown>, settings: Settings): Decoder {
  const state = host.initial(createTurn({ id: 'replay' }), settings);
  const read = lineReader(host.lineBytes, (line, out) => host.step(state, line, out));
  return (entry, out) => {
    if (entry.type === 'bytes') {
      if (entry.stream === 'stdout') read.bytes(bytesOf(entry), out);
      return;
    }
    read.end(out);
    host.end(state, exitOf(entry), out);
  };
}

/** What belongs to no turn is left out, as it is when a turn runs. */
function residentDecoder(
  host: ResidentHost<Settings, unknown>,
  settings: Settings,
  countTurns: (bytes: Uint8Array) => number,
): Decoder {
  const state = host.initial(settings);
  const read = lineReader(host.lineBytes, (line, out) => {
    const said: Parameters<typeof host.step>[2] = [];
    host.step(state, line, said);
    for (const one of said) if (isEvent(one)) out.push(one);
  });
  return (entry, out) => {
    if (entry.type === 'exit') return;
    if (entry.stream === 'stdout') read.bytes(bytesOf(entry), out);
    else if (entry.stream === 'stdin')
      for (let turns = countTurns(bytesOf(entry)); turns > 0; turns -= 1) host.noteSent(state);
  };
}

/** Counts the turns in what was written to an agent, as the agent's own side of the dialect reads it. */
function turnCounter(agent: AgentSide<unknown>): (bytes: Uint8Array) => number {
  const state = agent.initial({ environment: {}, nextTurnId: () => 'replay' });
  const requests: Request[] = [];
  const lines = createLines(codec, MOST_LINE_BYTES);
  const sink = { onLine: (line: string) => agent.step(state, line, requests), onFault: () => {} };
  return (bytes) => {
    pushBytes(lines, bytes, sink);
    return requests.splice(0).filter(({ type }) => type === 'turn').length;
  };
}

function isEvent(said: { readonly type: string }): said is Event {
  return said.type !== 'status' && said.type !== 'heartbeat' && said.type !== 'complaint';
}

function lineReader(lineBytes: number, step: (line: string, out: Event[]) => void) {
  const lines = createLines(codec, lineBytes);
  const sinkFor = (out: Event[]) => ({
    onLine: (line: string) => step(line, out),
    onFault: (code: Parameters<typeof faultEvent>[0], excerpt: string) =>
      void out.push(faultEvent(code, 'A line could not be read as it was.', excerpt)),
  });
  return {
    bytes: (bytes: Uint8Array, out: Event[]) => pushBytes(lines, bytes, sinkFor(out)),
    end: (out: Event[]) => endBytes(lines, sinkFor(out)),
  };
}

function bytesOf({ text, base64 }: { readonly text?: string; readonly base64?: string }): Uint8Array {
  return base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
}

function exitOf({ code, signal, at }: Extract<RecordedEntry, { type: 'exit' }>): Exit {
  const cause = signal === null ? 'exit' : 'signal';
  return { cause, code, signal, exitCode: code ?? 1, durationMs: at, stderr: '' } as Exit;
}

/** Whether two readings of a turn are the same, apart from what no two runs share: times, places of files, the host's own remarks. */
export function sameEvents(logged: readonly Event[], read: readonly Event[]): boolean {
  return JSON.stringify(logged.flatMap(essence)) === JSON.stringify(read.flatMap(essence));
}

function essence(event: Event): unknown[] {
  if (event.type === 'log' && event.source !== 'agent') return [];
  // Said again only when it has changed since the turn before, of which a single turn knows nothing.
  if (event.type === 'session' || event.type === 'ready') return [];
  if (event.type === 'message') return [{ ...event, media: event.media.length }];
  if (event.type !== 'end') return [event];
  const { outcome, text } = event;
  return [{ type: 'end', outcome, text }];
}
