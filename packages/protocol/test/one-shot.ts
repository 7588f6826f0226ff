import { describe, expect, it } from 'vitest';
import type { AgentEffect, AgentInput, AgentSide } from '../src/contract/agent-side.ts';
import type { Dialect } from '../src/contract/dialect.ts';
import type { HostEffect, HostInput, HostSide, LaunchContext } from '../src/contract/host-side.ts';
import { createLines, endBytes, pushBytes } from '../src/framing/lines.ts';
import type { Event } from '../src/model/event.ts';
import type { Exit } from '../src/model/exit.ts';
import { createTurn, type Turn, type TurnInput } from '../src/model/turn.ts';
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
  const { host } = dialect;
  describe.each(transcripts(folder).map((one) => [one.name, one] as const))('%s', (_name, transcript) => {
    it(`is explained: ${transcript.about}`, () => expect(transcript.about).not.toBe(''));
    const settings = { ...dialect.defaults, ...transcript.json<Partial<S>>('settings.json') };
    const turn = createTurn({ id: 't1', ...transcript.json<TurnInput>('turn.json') });
    checkSent(transcript, () => launchOf(host, settings, turn));

    const stdout = transcript.text('stdout.txt');
    const expected = transcript.ndjson<Event>('events.ndjson');
    if (stdout !== undefined && expected !== undefined) {
      it('is read by a host as the events say', () => {
        const exit = { ...CLEAN_EXIT, ...transcript.json<Partial<Exit>>('exit.json') };
        const effects = hostEffects(host, settings, [
          { type: 'send', turn },
          ...linesOf(stdout).map((text) => ({ type: 'line', text }) as const),
          { type: 'exit', exit },
        ]);
        expectFile(transcript, 'events.ndjson', eventsIn(effects), expected);
        const asks = effects.filter(({ type }) => type === 'ask' || type === 'withdraw');
        expect(asks).toEqual(transcript.ndjson('asks.ndjson') ?? []);
      });
    }
    checkAgent(dialect, transcript);
  });
}

/** Everything that a host side wants done for these inputs. */
export function hostEffects<S, H>(
  host: HostSide<S, H>,
  settings: S,
  inputs: Iterable<HostInput>,
): HostEffect[] {
  const state = host.initial(settings, CONTEXT);
  const out: HostEffect[] = [];
  for (const input of inputs) host.step(state, input, out);
  return out;
}

/** The events of all turns, in order. */
export function eventsIn(effects: readonly HostEffect[]): Event[] {
  return effects.flatMap((effect) => (effect.type === 'events' ? effect.events : []));
}

/** The bytes for the other side. */
export function writtenIn(effects: readonly (HostEffect | AgentEffect)[]): string {
  return effects.map((effect) => (effect.type === 'write' ? effect.text : '')).join('');
}

/** How a process for a turn is started, and what is written to its stdin at first; undefined where it stays open. */
export function launchOf<S, H>(host: HostSide<S, H>, settings: S, turn: Turn) {
  const launch = host.launch(settings, CONTEXT, turn);
  if ('refused' in launch) return launch;
  const effects = hostEffects(host, settings, [{ type: 'send', turn }]);
  const closes = effects.some(({ type }) => type === 'close-input');
  return { ...launch, stdin: writtenIn(effects), ...(closes ? {} : { keepInputOpen: true }) };
}

/** Compares with the file of a transcript, or writes it anew where `UPDATE_TRANSCRIPTS` is set. */
export function expectFile(
  transcript: Transcript,
  file: string,
  actual: readonly object[],
  expected: object,
): void {
  if (process.env.UPDATE_TRANSCRIPTS !== undefined) transcript.write(file, actual);
  else expect(actual).toEqual(expected);
}

/** What an agent side wants done for these inputs, after `started`. */
export function agentEffects<A>(agent: AgentSide<A>, state: A, inputs: Iterable<AgentInput>): AgentEffect[] {
  const out: AgentEffect[] = [];
  for (const input of inputs) agent.step(state, input, out);
  return out;
}

/** The bytes with which an agent says events. */
export function said<A>(agent: AgentSide<A>, state: A, events: readonly Event[]): string {
  return writtenIn(
    agentEffects(
      agent,
      state,
      events.map((event) => ({ type: 'event', turnId: 't1', event })),
    ),
  );
}

/** The requests that an agent side reads from its environment and stdin, and whether it wants stdin. */
export function requestsOf<A>(agent: AgentSide<A>, state: A, stdin: string) {
  const started = agentEffects(agent, state, [{ type: 'started' }]);
  const input = agent.readsInput(state);
  const lines = input ? linesOf(stdin).map((text) => ({ type: 'line', text }) as const) : [];
  const end = input ? [{ type: 'input-end' } as const] : [];
  return { input, requests: [...started, ...agentEffects(agent, state, [...lines, ...end])] };
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
  const events = transcript.ndjson<Event>('said.ndjson');
  if (events !== undefined) {
    it('is written by an agent', () => {
      const state = agentState(dialect, transcript);
      agentRequests(dialect, transcript, state);
      expect(said(dialect.agent, state, events)).toBe(transcript.text('stdout.txt'));
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
): AgentEffect[] {
  return requestsOf(dialect.agent, state, transcript.text('sent.txt') ?? '').requests;
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
