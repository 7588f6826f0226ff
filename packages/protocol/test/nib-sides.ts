import type { AgentEffect } from '../src/contract/agent-side.ts';
import type { NibAgentState } from '../src/dialects/nib/agent.ts';
import { nib } from '../src/dialects/nib/index.ts';
import type { Event } from '../src/model/event.ts';
import { createTurn, type Turn } from '../src/model/turn.ts';
import { CLEAN_EXIT, eventsIn, hostEffects, launchOf, linesOf, requestsOf, said } from './one-shot.ts';

export const { host } = nib;

/** A turn that asks for an operation. */
export const ask = (name: string, fields = {}): Turn => createTurn({ id: 't1', operation: { name, fields } });

/** An agent that has read nothing but the request file it may have been given. */
export const agentOf = (requestFile?: string): NibAgentState =>
  nib.agent.initial({
    environment: {},
    nextTurnId: () => 't1',
    ...(requestFile === undefined ? {} : { requestFile }),
  });

/** The events that a host of ours reads from an agent that writes this and exits well. */
export function read(turn: Turn, stdout: string): Event[] {
  const lines = linesOf(stdout).map((text) => ({ type: 'line', text }) as const);
  const inputs = [{ type: 'send', turn } as const, ...lines, { type: 'exit', exit: CLEAN_EXIT } as const];
  return eventsIn(hostEffects(host, nib.defaults, inputs));
}

/** The requests that an agent of ours reads from this input. */
export function received(state: NibAgentState, input: string): AgentEffect[] {
  return requestsOf(nib.agent, state, input).requests;
}

/** The text that an agent of ours writes when it is asked by a host of ours. */
export function answered(turn: Turn, events: readonly Event[]): string {
  const launch = launchOf(host, nib.defaults, turn);
  const state = agentOf();
  received(state, 'stdin' in launch ? launch.stdin : '');
  return said(nib.agent, state, events);
}
