import type { OneShotHost, Request } from '../src/dialects/dialect.ts';
import type { NibAgentState } from '../src/dialects/nib/agent.ts';
import type { NibHostState } from '../src/dialects/nib/host.ts';
import { nib } from '../src/dialects/nib/index.ts';
import type { NibSettings } from '../src/dialects/nib/settings.ts';
import type { Event } from '../src/model/event.ts';
import { createTurn, type Turn } from '../src/model/turn.ts';
import { CLEAN_EXIT, CONTEXT, linesOf } from './one-shot.ts';

export const host = nib.host as OneShotHost<NibSettings, NibHostState>;

/** A turn that asks for an operation. */
export const ask = (name: string, fields = {}): Turn => createTurn({ id: 't1', operation: { name, fields } });

/** An agent that has read nothing but the request file it may have been given. */
export const agentOf = (requestFile?: string): NibAgentState =>
  nib.agent.initial({
    environment: {},
    nextTurnId: () => 't1',
    ...(requestFile === undefined ? {} : { requestFile }),
  });

/** What a host of ours makes of an agent that writes this and exits well. */
export function read(turn: Turn, stdout: string): Event[] {
  const state = host.initial(turn, nib.defaults);
  const out: Event[] = [];
  for (const line of linesOf(stdout)) host.step(state, line, out);
  host.end(state, CLEAN_EXIT, out);
  return out;
}

/** What an agent of ours makes of this input. */
export function received(state: NibAgentState, input: string): Request[] {
  const out: Request[] = [];
  nib.agent.begin(state, out);
  for (const line of linesOf(input)) nib.agent.step(state, line, out);
  nib.agent.finish(state, out);
  return out;
}

/** What an agent of ours writes when it is asked by a host of ours. */
export function answered(turn: Turn, said: readonly Event[]): string {
  const launch = host.launch(turn, nib.defaults, CONTEXT);
  const state = agentOf();
  received(state, 'stdin' in launch ? (launch.stdin ?? '') : '');
  return said.map((event) => nib.agent.encode(state, event)).join('');
}
