import fc from 'fast-check';
import { expect } from 'vitest';
import type { HostEffect, HostInput, HostSide } from '../src/contract/host-side.ts';
import type { AnyDialect } from '../src/dialects/index.ts';
import { permissionQuestion } from '../src/model/question.ts';
import { createTurn } from '../src/model/turn.ts';
import { anyLine, mutated } from './arbitrary.ts';
import { CLEAN_EXIT, CONTEXT } from './one-shot.ts';
import { transcripts } from './transcript.ts';
import { agentLinesIn } from './transcript-machine.ts';

/** One step of an interleaving; a number picks among what is possible then. */
type Step =
  | { readonly type: 'send' | 'interrupt' | 'timer' | 'answer' | 'probe'; readonly pick: number }
  | { readonly type: 'line'; readonly text: string; readonly truncated?: true };

/** Every line that a transcript of the dialect shows from an agent. */
function agentLines(folder: string): string[] {
  const lines = transcripts(folder).flatMap((one) => {
    const wire = (one.text('wire.txt') ?? '').split('\n').filter((line) => line.startsWith('← '));
    return [...wire.map((line) => line.slice(2)), ...(one.text('stdout.txt') ?? '').split('\n')];
  });
  lines.push(...agentLinesIn(folder));
  return lines.length === 0 ? [''] : lines;
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

/** Lines of an agent that lead into the middle of a conversation, and those that may follow in any order. */
export interface Conversation {
  /** Given first. The first input is sent in front of the line number `sendAt`. */
  readonly opening: readonly string[];
  readonly sendAt: number;
  readonly lines: readonly string[];
}

/** An interleaving of everything that can happen to the host side of a dialect, as steps. */
function interleaving(known: readonly string[]): fc.Arbitrary<Step[]> {
  const frames = known.filter(isJson);
  const line = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    { weight: 2, arbitrary: frames.length === 0 ? anyLine() : mutated(frames) },
    { weight: 1, arbitrary: anyLine() },
  );
  const pick = fc.nat(5);
  const kind = fc.constantFrom('send', 'send', 'interrupt', 'timer', 'timer', 'answer', 'probe');
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: line.map((text): Step => ({ type: 'line', text })) },
      {
        weight: 5,
        arbitrary: fc.record({ type: kind, pick }) as fc.Arbitrary<Step>,
      },
      { weight: 1, arbitrary: line.map((text): Step => ({ type: 'line', text, truncated: true })) },
    ),
    { maxLength: 24 },
  );
}

/** What an interleaving has brought about. */
interface History {
  readonly sent: string[];
  readonly effects: HostEffect[];
  /** Timers that are set, and questions that are open, at this point. */
  readonly timers: Set<string>;
  readonly asks: Set<string>;
  readonly answered: Set<string>;
}

/** Carries out the steps, then ends the process. */
function play(
  { host, defaults }: AnyDialect,
  steps: readonly Step[],
  code: number,
  conversation?: Conversation,
): History {
  const history: History = {
    sent: [],
    effects: [],
    timers: new Set(),
    asks: new Set(),
    answered: new Set(),
  };
  const settings = { ...defaults, permission: 'deny' } as typeof defaults;
  const machine = host as HostSide<typeof defaults, unknown>;
  const state = machine.initial(settings, CONTEXT);
  const tell = (input: HostInput): void => {
    const out: HostEffect[] = [];
    machine.step(state, input, out);
    for (const effect of out) note(history, effect);
  };
  tell({ type: 'started' });
  for (const step of [...openingOf(conversation), ...steps]) {
    const input = inputOf(step, history);
    if (input !== undefined) tell(input);
  }
  tell({ type: 'exit', exit: { ...CLEAN_EXIT, code, exitCode: code } });
  const { length } = history.effects;
  tell({ type: 'line', text: 'late' });
  tell({ type: 'interrupt', cause: 'cancel' });
  const late = history.effects.slice(length).filter(({ type }) => type !== 'events');
  expect(late).toEqual([]);
  return history;
}

function openingOf(conversation: Conversation | undefined): Step[] {
  if (conversation === undefined) return [];
  const { opening, sendAt } = conversation;
  const steps = opening.map((text): Step => ({ type: 'line', text }));
  return [...steps.slice(0, sendAt), { type: 'send', pick: 0 }, ...steps.slice(sendAt)];
}

function note(history: History, effect: HostEffect): void {
  history.effects.push(effect);
  if (effect.type === 'timer') {
    if (effect.ms === undefined) history.timers.delete(effect.name);
    else history.timers.add(effect.name);
  }
  if (effect.type === 'ask') history.asks.add(effect.askId);
  if (effect.type === 'withdraw') history.asks.delete(effect.askId);
}

function inputOf(step: Step, history: History): HostInput | undefined {
  switch (step.type) {
    case 'line':
      return step;
    case 'send': {
      const id = `i${history.sent.length}`;
      history.sent.push(id);
      return { type: 'send', turn: createTurn({ id, text: id }) };
    }
    case 'interrupt': {
      const turnId = [undefined, ...history.sent][step.pick];
      const cause = step.pick % 2 === 0 ? 'cancel' : 'timeout';
      return { type: 'interrupt', cause, ...(turnId === undefined ? {} : { turnId }) };
    }
    case 'timer': {
      const name = [...history.timers][step.pick];
      if (name !== undefined) history.timers.delete(name);
      return name === undefined ? undefined : { type: 'timer', name };
    }
    case 'answer': {
      const askId = [...history.asks][step.pick] ?? 'never-asked';
      history.asks.delete(askId);
      history.answered.add(askId);
      const { options } = permissionQuestion('x', {});
      const option = options[step.pick % 2]?.id ?? '';
      return { type: 'answer', askId, answer: { by: 'ada', via: 'person', option } };
    }
    case 'probe':
      return { type: 'probe', probe: step.pick % 2 === 0 ? 'status' : 'heartbeat' };
  }
}

/** Each input ends once: it is taken by one turn, or returned; and none is taken that was not given before. */
function expectInputsEndOnce({ sent, effects }: History): void {
  const states = effects.filter((effect) => effect.type === 'input');
  for (const id of sent) {
    const own = states.filter(({ inputId }) => inputId === id).map(({ state }) => state);
    expect(
      own.filter((state) => state !== 'given'),
      `the ends of ${id}`,
    ).toHaveLength(1);
    expect(own.filter((state) => state === 'given').length).toBeLessThanOrEqual(1);
    if (own.includes('taken')) expect(own[0]).toBe('given');
  }
  expect(states.every(({ inputId }) => sent.includes(inputId))).toBe(true);
}

/** A turn that has begun, or has taken an input, has exactly one end, and nothing of it comes after that. */
function expectTurnsEndOnce({ effects }: History): void {
  const turns = new Map<string, string[]>();
  for (const effect of effects) {
    if (effect.type !== 'events' || effect.turnId === undefined) continue;
    const types = effect.events.map(({ type }) => type);
    turns.set(effect.turnId, [...(turns.get(effect.turnId) ?? []), ...types]);
  }
  for (const effect of effects)
    if (effect.type === 'input' && effect.turnId !== undefined)
      expect(turns.get(effect.turnId), `the turn ${effect.turnId}, which has taken an input`).toBeDefined();
  for (const [turnId, types] of turns) {
    const begun = types.includes('accepted') || types.includes('end');
    if (!begun) continue;
    expect(
      types.filter((type) => type === 'end'),
      `the ends of ${turnId}: ${types}`,
    ).toHaveLength(1);
    expect(types.at(-1)).toBe('end');
  }
}

/** Nothing is written after the input was closed. */
function expectNoWriteAfterClose({ effects }: History): void {
  const closed = effects.findIndex(({ type }) => type === 'close-input');
  const written = effects.findLastIndex(({ type }) => type === 'write');
  if (closed !== -1) expect(written).toBeLessThan(closed);
}

/**
 * Runs interleavings through the host side of a dialect, and checks what must hold of each. Returns how many questions
 * were asked in all.
 */
export function expectLawfulMachine(
  dialect: AnyDialect,
  numRuns: number,
  folder = dialect.name.replace('/', '-'),
  conversation?: Conversation,
): number {
  let asked = 0;
  const known = conversation?.lines ?? agentLines(folder);
  fc.assert(
    fc.property(interleaving(known), fc.constantFrom(0, 1), (steps, code) => {
      const history = play(dialect, steps, code, conversation);
      asked += history.effects.filter(({ type }) => type === 'ask').length;
      expectInputsEndOnce(history);
      expectTurnsEndOnce(history);
      expectNoWriteAfterClose(history);
      expect([...history.asks], 'questions without an end').toEqual([]);
    }),
    { numRuns },
  );
  return asked;
}
