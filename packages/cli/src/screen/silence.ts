import type { OpenAgent } from '@plugboard/host';
import type { Event } from '@plugboard/protocol';

/** An agent that stays tells who it is when it starts; a slow start takes two seconds. */
const PATIENCE_MS = 5_000;

/** Waits for the first thing that a resident agent says in its dialect. */
export interface SilenceWatch {
  saw(event: Event): void;
  dispose(): void;
}

/**
 * Calls `tell` with a remark when no event but faults and logs has come from a resident agent for `PATIENCE_MS`: its turn
 * has no time limit. One-shot agents may be silent until they answer.
 */
export function watchSilence(agent: OpenAgent, tell: (remark: string) => void): SilenceWatch {
  if (agent.resident === undefined) return { saw: () => {}, dispose: () => {} };
  const { name, dialect } = agent;
  const timer = setTimeout(() => {
    tell(
      `${name} has said nothing in ${dialect} for ${PATIENCE_MS / 1000} s, not even who it is. "plugboard detect -- COMMAND" finds out what it speaks, "plugboard check --dialect ${dialect} -- COMMAND" what is missing; Ctrl-C ends it.`,
    );
  }, PATIENCE_MS);
  const saw = (event: Event): void => {
    if (event.type !== 'fault' && event.type !== 'log') clearTimeout(timer);
  };
  agent.resident.onIdleEvent(saw);
  return { saw, dispose: () => clearTimeout(timer) };
}
