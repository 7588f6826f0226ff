import type { Event } from '../model/event.ts';
import type { Fault } from '../model/fault.ts';
import type { Question } from '../model/question.ts';
import type { AgentEffect, AgentInput, AgentSide } from './agent-side.ts';

/** A line of a request was longer than an agent reads. */
export const REQUEST_TOO_LONG = {
  message: 'A request was longer than 64 MiB and was dropped.',
  code: 'too-long',
} as const;

/** The parts of a dialect whose agents answer one turn and exit. */
export interface PerTurnAgentParts<State> extends Omit<AgentSide<State>, 'step'> {
  /** Requests that need no input. */
  started?(state: State, out: AgentEffect[]): void;
  line(state: State, text: string, out: AgentEffect[]): void;
  inputEnd?(state: State, out: AgentEffect[]): void;
  /** The text for stdout that says an event; empty for events that are `omitted`, `gathered` or `logged`. */
  encode(state: State, event: Event): string;
  /** Why a host cannot be given this session id. `encode` then leaves the id out. */
  sessionProblem?(id: string): string | undefined;
  /** The frame that asks; empty when this host has not offered to answer. */
  ask?(state: State, askId: string, question: Question): string;
}

/** Builds the agent side of a dialect with one turn per process from `parts`. */
export function createPerTurnAgent<State>(parts: PerTurnAgentParts<State>): AgentSide<State> {
  return {
    ...parts,
    step(state, input, out) {
      switch (input.type) {
        case 'event':
          return encode(parts, state, input.event, out);
        case 'started':
          return parts.started?.(state, out);
        case 'line':
          return readLine(parts, state, input, out);
        case 'input-end':
          return parts.inputEnd?.(state, out);
        case 'ask':
          return ask(parts, state, input, out);
        default:
      }
    },
  };
}

/** The effect of a request that is malformed. */
export function refuse({ message, code }: Fault): AgentEffect {
  return { type: 'refuse', failure: { message, code } };
}

function encode<State>(
  parts: PerTurnAgentParts<State>,
  state: State,
  event: Event,
  out: AgentEffect[],
): void {
  const problem = event.type === 'session' ? parts.sessionProblem?.(event.id) : undefined;
  if (problem !== undefined) out.push({ type: 'log', text: `warning: ${problem}` });
  write(parts.encode(state, event), out);
}

function readLine<State>(
  parts: PerTurnAgentParts<State>,
  state: State,
  { text, truncated }: AgentInput & { type: 'line' },
  out: AgentEffect[],
): void {
  if (truncated === true) out.push({ type: 'refuse', failure: REQUEST_TOO_LONG });
  else parts.line(state, text, out);
}

function ask<State>(
  parts: PerTurnAgentParts<State>,
  state: State,
  { askId, question }: AgentInput & { type: 'ask' },
  out: AgentEffect[],
): void {
  const text = parts.ask?.(state, askId, question) ?? '';
  if (text === '') out.push({ type: 'cannot-ask', askId });
  else write(text, out);
}

function write(text: string, out: AgentEffect[]): void {
  if (text !== '') out.push({ type: 'write', text });
}
