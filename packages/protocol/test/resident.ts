import { describe, expect, it } from 'vitest';
import type { ControlReply, Dialect, Request, ResidentHost } from '../src/dialects/dialect.ts';
import type { Event } from '../src/model/event.ts';
import type { Exit } from '../src/model/exit.ts';
import { createTurn, type TurnInput } from '../src/model/turn.ts';
import { CLEAN_EXIT } from './one-shot.ts';
import { type Transcript, transcripts } from './transcript.ts';

type Said = Event | ControlReply;

/** Runs every transcript of a resident dialect through both of its sides. */
export function describeResident<S, H, A>(dialect: Dialect<S, H, A>): void {
  const host = dialect.host as ResidentHost<S, H>;
  describe.each(transcripts(dialect.name).map((one) => [one.name, one] as const))(
    '%s',
    (_name, transcript) => {
      it(`is explained: ${transcript.about}`, () => expect(transcript.about).not.toBe(''));
      const wire = transcript.text('wire.txt') ?? '';
      checkHost(dialect, host, transcript, wire);
      checkAgent(dialect, transcript, wire);
    },
  );
}

function checkHost<S, H, A>(
  dialect: Dialect<S, H, A>,
  host: ResidentHost<S, H>,
  transcript: Transcript,
  wire: string,
): void {
  const turn = transcript.json<TurnInput>('turn.json');
  if (turn !== undefined) {
    it('is sent as written', () => {
      expect(host.encode(createTurn({ ...turn, id: 't1' }))).toBe(`${linesOf(wire, '→ ')[0]}\n`);
    });
  }
  const expected = transcript.ndjson<Said>('events.ndjson');
  if (expected !== undefined) {
    it('is read by a host as the events say', () => {
      const state = host.initial(dialect.defaults);
      const exit = transcript.json<Partial<Exit>>('exit.json');
      const out = hostEvents(host, state, wire);
      if (exit !== undefined) host.end(state, { ...CLEAN_EXIT, ...exit }, out);
      expect(out).toEqual(expected);
    });
  }
}

/** Steps through the wire in its order, since what was sent decides how some answers are read. */
function hostEvents<S, H>(host: ResidentHost<S, H>, state: H, wire: string): Said[] {
  const out: Said[] = [];
  for (const line of wire.split('\n')) {
    if (line.startsWith('← ')) host.step(state, line.slice(2), out);
    else if (line.startsWith('→ {"type":"user"')) host.noteSent(state);
  }
  return out;
}

function checkAgent<S, H, A>(dialect: Dialect<S, H, A>, transcript: Transcript, wire: string): void {
  const requests = transcript.ndjson<object>('requests.ndjson');
  if (requests !== undefined) {
    it('is understood by an agent', () => {
      const state = agentState(dialect);
      const out: Request[] = [];
      dialect.agent.begin(state, out);
      for (const line of linesOf(wire, '→ ')) dialect.agent.step(state, line, out);
      dialect.agent.finish(state, out);
      expect(out).toMatchObject(requests);
    });
  }
  const said = transcript.ndjson<Said>('said.ndjson');
  if (said !== undefined) {
    it('is written by an agent', () => {
      const state = agentState(dialect);
      const written = said.map((one) => say(dialect, state, one)).join('');
      expect(written).toBe(
        linesOf(wire, '← ')
          .map((line) => `${line}\n`)
          .join(''),
      );
    });
  }
}

function say<S, H, A>(dialect: Dialect<S, H, A>, state: A, said: Said): string {
  if (said.type === 'status' || said.type === 'heartbeat' || said.type === 'complaint') {
    return dialect.agent.answer?.(state, said) ?? '';
  }
  return dialect.agent.encode(state, said);
}

function agentState<S, H, A>(dialect: Dialect<S, H, A>): A {
  let turns = 0;
  return dialect.agent.initial({ environment: {}, nextTurnId: () => `t${++turns}` });
}

function linesOf(wire: string, direction: '→ ' | '← '): string[] {
  return wire
    .split('\n')
    .filter((line) => line.startsWith(direction))
    .map((line) => line.slice(direction.length));
}
