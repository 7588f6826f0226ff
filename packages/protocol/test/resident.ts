import { describe, expect, it } from 'vitest';
import type { AgentInput } from '../src/contract/agent-side.ts';
import type { Dialect } from '../src/contract/dialect.ts';
import type { HostEffect, HostInput } from '../src/contract/host-side.ts';
import type { Event } from '../src/model/event.ts';
import type { Exit } from '../src/model/exit.ts';
import { createTurn, type TurnInput } from '../src/model/turn.ts';
import { agentEffects, CLEAN_EXIT, eventsIn, expectFile, hostEffects, writtenIn } from './one-shot.ts';
import { type Transcript, transcripts } from './transcript.ts';

/** Runs every transcript of a resident dialect through both of its sides. */
export function describeResident<S, H, A>(dialect: Dialect<S, H, A>): void {
  describe.each(transcripts(dialect.name).map((one) => [one.name, one] as const))(
    '%s',
    (_name, transcript) => {
      it(`is explained: ${transcript.about}`, () => expect(transcript.about).not.toBe(''));
      const wire = transcript.text('wire.txt') ?? '';
      checkHost(dialect, transcript, wire);
      checkAgent(dialect, transcript, wire);
    },
  );
}

function checkHost<S, H, A>(
  { host, defaults }: Dialect<S, H, A>,
  transcript: Transcript,
  wire: string,
): void {
  const turn = transcript.json<TurnInput>('turn.json');
  if (turn !== undefined) {
    it('is sent as written', () => {
      const send = { type: 'send', turn: createTurn({ ...turn, id: 't1' }) } as const;
      expect(writtenIn(hostEffects(host, defaults, [send]))).toBe(`${linesOf(wire, '→ ')[0]}\n`);
    });
  }
  const expected = transcript.ndjson<object>('events.ndjson');
  if (expected === undefined) return;
  it('is read by a host as the events say', () => {
    const exit = transcript.json<Partial<Exit>>('exit.json');
    const end: HostInput[] = exit === undefined ? [] : [{ type: 'exit', exit: { ...CLEAN_EXIT, ...exit } }];
    const effects = hostEffects(host, defaults, [...hostInputs(wire), ...end]);
    const told = effects.flatMap((effect): object[] => {
      if (effect.type === 'events') return effect.events;
      return effect.type === 'probed' ? [effect] : [];
    });
    expectFile(transcript, 'events.ndjson', told, expected);
    const asks = transcript.ndjson<object>('asks.ndjson');
    if (asks !== undefined) expect(effects.filter(isAboutAsks).slice(1)).toEqual(asks);
    const inputs = effects.filter(({ type }) => type === 'input');
    const states = transcript.ndjson<object>('inputs.ndjson');
    if (states !== undefined) expect(inputs).toEqual(states);
    expect(eventsIn(effects).filter(({ type }) => type === 'end').length).toBeLessThanOrEqual(
      eventsIn(effects).filter(({ type }) => type === 'accepted').length + inputs.length,
    );
  });
}

/** Questions, and what is written: the message comes first, answers follow. */
function isAboutAsks({ type }: HostEffect): boolean {
  return type === 'ask' || type === 'withdraw' || type === 'write';
}

/** The wire in its order: lines of the agent, what the host sends, answers of people (`! {…}`), and timers that run out (`⏲ name`). */
function hostInputs(wire: string): HostInput[] {
  let turns = 0;
  return wire.split('\n').flatMap((line): HostInput[] => {
    if (line.startsWith('← ')) return [{ type: 'line', text: line.slice(2) }];
    if (line.startsWith('! ')) return [{ type: 'answer', ...JSON.parse(line.slice(2)) }];
    if (line.startsWith('⏲ ')) return [{ type: 'timer', name: line.slice(2) }];
    if (line.startsWith('→ {"type":"user"'))
      return [{ type: 'send', turn: createTurn({ id: `t${++turns}` }) }];
    if (line.startsWith('→ {"type":"control","action":"interrupt"}'))
      return [{ type: 'interrupt', cause: 'cancel' }];
    const probe = /^→ \{"type":"control","action":"(status|heartbeat)"\}/.exec(line)?.[1];
    return probe === 'status' || probe === 'heartbeat' ? [{ type: 'probe', probe }] : [];
  });
}

function checkAgent<S, H, A>(dialect: Dialect<S, H, A>, transcript: Transcript, wire: string): void {
  const requests = transcript.ndjson<object>('requests.ndjson');
  if (requests !== undefined) {
    it('is understood by an agent', () => {
      const out = agentEffects(dialect.agent, agentState(dialect), [
        { type: 'started' },
        ...linesOf(wire, '→ ').map((text) => ({ type: 'line', text }) as const),
        { type: 'input-end' },
      ]);
      const told = out.map((effect) => (effect.type === 'write' ? JSON.parse(effect.text) : effect));
      expect(told).toMatchObject(requests);
    });
  }
  const said = transcript.ndjson<Event | AgentInput>('said.ndjson');
  if (said !== undefined) {
    it('is written by an agent', () => {
      const inputs = said.map(
        (one): AgentInput => (isInput(one) ? one : { type: 'event', turnId: 't1', event: one as Event }),
      );
      expect(writtenIn(agentEffects(dialect.agent, agentState(dialect), inputs))).toBe(
        linesOf(wire, '← ')
          .map((line) => `${line}\n`)
          .join(''),
      );
    });
  }
}

/** Lines of `said.ndjson` that are no events: input, and questions. */
function isInput(one: Event | AgentInput): one is AgentInput {
  return one.type === 'line' || (one.type === 'ask' && 'askId' in one);
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
