import { describe, expect, it } from 'vitest';
import type { Dialect, LaunchContext, OneShotHost, Request } from '../src/dialects/dialect.ts';
import { createLines, endBytes, pushBytes } from '../src/framing/lines.ts';
import type { Event } from '../src/model/event.ts';
import type { Exit } from '../src/model/exit.ts';
import { createTurn, type TurnInput } from '../src/model/turn.ts';
import { type Transcript, transcripts } from './transcript.ts';

export const CLEAN_EXIT: Exit = {
  cause: 'exit',
  code: 0,
  signal: null,
  exitCode: 0,
  durationMs: 0,
  stderr: '',
};
export const CONTEXT: LaunchContext = {
  environment: { HOME: '/home/ada', TOKEN: 's3cret' },
  workspace: '/work',
};

const CODEC = {
  decode: (bytes: Uint8Array) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  isValid: () => true,
};

/** Splits stdout as a host does. */
export function linesOf(stdout: string): string[] {
  const found: string[] = [];
  const sink = { onLine: (line: string) => found.push(line), onFault: () => {} };
  const lines = createLines(CODEC, 1 << 30);
  pushBytes(lines, Buffer.from(stdout), sink);
  endBytes(lines, sink);
  return found;
}

/** Runs every transcript of a one-shot dialect through both of its sides. */
export function describeOneShot<S, H, A>(dialect: Dialect<S, H, A>, folder: string = dialect.name): void {
  const host = dialect.host as OneShotHost<S, H>;
  describe.each(transcripts(folder).map((one) => [one.name, one] as const))('%s', (_name, transcript) => {
    it(`is explained: ${transcript.about}`, () => expect(transcript.about).not.toBe(''));
    const settings = { ...dialect.defaults, ...transcript.json<Partial<S>>('settings.json') };
    const turn = createTurn({ id: 't1', ...transcript.json<TurnInput>('turn.json') });
    checkSent(transcript, () => host.launch(turn, settings, CONTEXT));

    const stdout = transcript.text('stdout.txt');
    const expected = transcript.ndjson<Event>('events.ndjson');
    if (stdout !== undefined && expected !== undefined) {
      it('is read by a host as the events say', () => {
        const exit = { ...CLEAN_EXIT, ...transcript.json<Partial<Exit>>('exit.json') };
        expect(hostEvents(host, host.initial(turn, settings), stdout, exit)).toEqual(expected);
      });
    }
    checkAgent(dialect, transcript);
  });
}

function hostEvents<S, H>(host: OneShotHost<S, H>, state: H, stdout: string, exit: Exit): Event[] {
  const out: Event[] = [];
  for (const line of linesOf(stdout)) host.step(state, line, out);
  host.end(state, exit, out);
  return out;
}

function checkSent(transcript: Transcript, launch: () => unknown): void {
  const sent = transcript.text('sent.txt');
  const env = transcript.text('env.txt');
  const launched = transcript.json<object>('launch.json');
  if (sent !== undefined) it('is sent as written', () => expect(launch()).toMatchObject({ stdin: sent }));
  if (env !== undefined)
    it('sets the variables as written', () => expect(launch()).toMatchObject({ env: variables(env) }));
  if (launched !== undefined)
    it('starts the process as written', () => expect(launch()).toMatchObject(launched));
}

function checkAgent<S, H, A>(dialect: Dialect<S, H, A>, transcript: Transcript): void {
  const received = transcript.json<object>('received.json');
  if (received !== undefined) {
    it('is understood by an agent', () => {
      const out = agentRequests(dialect, transcript);
      expect(out).toMatchObject([received]);
    });
  }
  const said = transcript.ndjson<Event>('said.ndjson');
  if (said !== undefined) {
    it('is written by an agent', () => {
      const state = agentState(dialect, transcript);
      agentRequests(dialect, transcript, state);
      expect(said.map((event) => dialect.agent.encode(state, event)).join('')).toBe(
        transcript.text('stdout.txt'),
      );
    });
  }
}

function agentState<S, H, A>(dialect: Dialect<S, H, A>, transcript: Transcript): A {
  const requestFile = transcript.text('request-file.txt');
  return dialect.agent.initial({
    environment: variables(transcript.text('env.txt') ?? ''),
    nextTurnId: () => 't1',
    ...(requestFile === undefined ? {} : { requestFile }),
  });
}

function agentRequests<S, H, A>(
  dialect: Dialect<S, H, A>,
  transcript: Transcript,
  state: A = agentState(dialect, transcript),
): Request[] {
  const out: Request[] = [];
  dialect.agent.begin(state, out);
  if (!dialect.agent.readsInput(state)) return out;
  for (const line of linesOf(transcript.text('sent.txt') ?? '')) dialect.agent.step(state, line, out);
  dialect.agent.finish(state, out);
  return out;
}

function variables(source: string): Record<string, string> {
  const entries = source
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => [
      line.slice(0, line.indexOf('=')),
      JSON.parse(line.slice(line.indexOf('=') + 1)) as string,
    ]);
  return Object.fromEntries(entries);
}
