import type { StoredAsk } from '@plugboard/store';
import type { Given } from './open-asks.ts';

const OVER = {
  open: 'Another gateway runs the agent that asks, or it ended a moment ago.',
  answered: 'It was answered already.',
  expired: 'Nobody answered in time, which counts as a no.',
  withdrawn: 'The agent waits for the answer no longer.',
  void: 'The agent that asked is gone.',
} as const;

/** Why a question can be answered no longer. `given` is known before the store says that the question was answered. */
export function overWords({ state, answer }: StoredAsk, given: Given | undefined): string {
  const first = state === 'open' ? given : answer;
  if (first === undefined || (state !== 'open' && state !== 'answered')) return OVER[state];
  const option = first.option === undefined ? '' : ` with "${first.option}"`;
  return `It was answered already${option} by ${first.by}.`;
}
